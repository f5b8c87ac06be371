# cmake -DTEXT=FILE -DHEADER=FILE -P TextHeader.cmake: the text as a constant `help_text`.
file(READ ${TEXT} text)
file(WRITE ${HEADER} "constexpr const char* help_text = R\"TEXT(${text})TEXT\";\n")
