// An application on an installed libberth: lists the devices and opens an empty session.
#include <berth/c_api.h>
#include <stdio.h>
#include <string.h>

static int Fail(const char* what, berth_error* error) {
  fprintf(stderr, "%s: %s\n", what, error->message ? error->message : "no message");
  if (error->release) error->release(error);
  return 1;
}

int main(void) {
  berth_error error = {0};
  error.struct_size = sizeof(error);
  berth_bytes* devices = NULL;
  if (berth_list_devices(&devices, &error) != BERTH_OK) return Fail("devices", &error);
  printf("berth %s\n%s\n", berth_version(), (const char*)berth_bytes_data(devices));
  const int has_cpu =
      strstr((const char*)berth_bytes_data(devices), "device:CPU:0") != NULL;
  berth_bytes_free(devices);
  if (!has_cpu) {
    fprintf(stderr, "no CPU device: the installed plugins were not found\n");
    return 1;
  }

  berth_session_args args = {0};
  args.struct_size = sizeof(args);
  berth_session* session = NULL;
  if (berth_session_create(&args, &session, &error) != BERTH_OK) {
    return Fail("session", &error);
  }
  berth_session_release(session);
  return 0;
}
