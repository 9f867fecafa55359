// The library that missing_library.cc is linked to and that is not found at run time.
#include <berth/version.h>

extern "C" BERTH_EXPORT int berth_stub_function();
extern "C" BERTH_EXPORT int berth_stub_function() { return 0; }
