#pragma once

/// The commit that the program was built from; empty where that is not told. scripts/build.sh links another one of this name.
const char *submit_commit(void);
