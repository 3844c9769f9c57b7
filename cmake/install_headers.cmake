# Runs at installation: copies the public headers, sotto/*.h, and those they
# include, directly or not. The rest of the tree's headers stay at home.
file(GLOB todo RELATIVE ${source_dir} ${source_dir}/sotto/*.h)
set(headers)
while(todo)
  list(POP_FRONT todo header)
  if(header IN_LIST headers)
    continue()
  endif()
  list(APPEND headers ${header})
  file(STRINGS ${source_dir}/${header} includes REGEX "^#include \"sotto/")
  list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "\\1")
  list(APPEND todo ${includes})
endwhile()
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${source_dir}/${header}
       DESTINATION ${CMAKE_INSTALL_PREFIX}/${include_dir}/${folder})
endforeach()
