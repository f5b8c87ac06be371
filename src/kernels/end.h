// Last include of every kernel file.
T_FILE_END
#undef T_FILE
