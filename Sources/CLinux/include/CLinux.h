#pragma once

// What Swift's Glibc module leaves out, one header a subject.
#include <linux/netlink.h>
#include <malloc.h>
#include <sys/vfs.h>
#include "call_filter.h"
#include "column_width.h"
#include "commit.h"
#include "confinement.h"
#include "descriptor_passing.h"
#include "file_calls.h"
#include "helper_process.h"
#include "socket_events.h"
#include "standard_streams.h"
