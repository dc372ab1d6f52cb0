#include "CLinuxFile.h"
