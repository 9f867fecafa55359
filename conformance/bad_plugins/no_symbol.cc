// A shared library that is no plugin: it exports something else.
#include <berth/version.h>

extern "C" BERTH_EXPORT int some_other_function();
extern "C" BERTH_EXPORT int some_other_function() { return 1; }
