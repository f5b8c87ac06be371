# Sets TESELA_ITK_INCLUDE_DIR, TESELA_ITK_VERSION and TESELA_ITK_LIBRARIES: the few libraries of ITK 5 that read DICOM.
#
# ITK's own package file loads every module that ITK was built with and fails where the development
# files of any of them (HDF5, DCMTK, GDCM's programs) are missing. Two modules are needed here.
# Set ITK_ROOT for an ITK in another place.

file(GLOB _itk_folders /usr/include/ITK-5.* /usr/local/include/ITK-5.*)
list(SORT _itk_folders COMPARE NATURAL ORDER DESCENDING)
if(ITK_ROOT)
    file(GLOB _itk_first ${ITK_ROOT}/include/ITK-5.*)
    list(PREPEND _itk_folders ${_itk_first})
endif()
find_path(TESELA_ITK_INCLUDE_DIR itkGDCMImageIO.h HINTS ${_itk_folders} NO_DEFAULT_PATH)
if(NOT TESELA_ITK_INCLUDE_DIR)
    message(FATAL_ERROR "ITK 5 was not found: install libinsighttoolkit5-dev, set ITK_ROOT, or switch "
                        "TESELA_WITH_IO off")
endif()
string(REGEX MATCH "5\\.[0-9]+$" TESELA_ITK_VERSION "${TESELA_ITK_INCLUDE_DIR}")
get_filename_component(_itk_prefix "${TESELA_ITK_INCLUDE_DIR}/../.." ABSOLUTE)

set(TESELA_ITK_LIBRARIES)
foreach(name ITKIOGDCM ITKIOImageBase ITKCommon itkvnl itksys)
    find_library(TESELA_${name}_LIBRARY NAMES ${name}-${TESELA_ITK_VERSION} HINTS ${_itk_prefix}/lib REQUIRED)
    list(APPEND TESELA_ITK_LIBRARIES ${TESELA_${name}_LIBRARY})
endforeach()
