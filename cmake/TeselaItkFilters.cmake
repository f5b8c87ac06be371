# tesela_itk_filters: what a test or a benchmark links to run ITK's filters of region growing and level sets,
# and to read its transforms. The library itself uses ITK for files alone (src/io/FindItkImageIO.cmake, which
# comes before).
if(TARGET tesela_itk_filters)
    return()
endif()
get_filename_component(_folder "${TESELA_ITKCommon_LIBRARY}" DIRECTORY)
string(REGEX MATCH "5\\.[0-9]+" _version "${TESELA_ITKCommon_LIBRARY}")
add_library(tesela_itk_filters INTERFACE)
target_include_directories(tesela_itk_filters SYSTEM INTERFACE ${TESELA_ITK_INCLUDE_DIR})
foreach(_name ITKRegionGrowing ITKSmoothing ITKIOTransformInsightLegacy ITKIOTransformBase
              ITKTransformFactory ITKTransform ITKIONIFTI ITKIOImageBase itkvnl_algo
              itkvnl itksys ITKCommon)
    find_library(TESELA_${_name}_LIBRARY NAMES ${_name}-${_version} HINTS ${_folder} REQUIRED)
    target_link_libraries(tesela_itk_filters INTERFACE ${TESELA_${_name}_LIBRARY})
endforeach()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(tesela_itk_filters INTERFACE
        "SHELL:-include ${PROJECT_SOURCE_DIR}/src/io/itk/for_clang.h")
endif()
