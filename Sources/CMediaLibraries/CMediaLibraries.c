#include "CMediaLibraries.h"
