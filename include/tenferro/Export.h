// Symbol visibility of the public API.
#ifndef TENFERRO_EXPORT_H
#define TENFERRO_EXPORT_H

#define TENFERRO_EXPORT __attribute__((visibility("default")))

#endif // TENFERRO_EXPORT_H
