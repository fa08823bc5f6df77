# A file as a C array: cmake -DFROM=page.html -DTO=page_template.c -DNAME=page_template -P embed.cmake
# SPDX-License-Identifier: MIT
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
string(REPLACE "'\\x0a'," "'\\x0a',\n" bytes "${bytes}")
file(WRITE ${TO} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0};\n")
