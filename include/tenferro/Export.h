// Symbol visibility of the public API.
#ifndef TENFERRO_EXPORT_H
#define TENFERRO_EXPORT_H

#define TENFERRO_EXPORT [[gnu::visibility("default")]]

#endif // TENFERRO_EXPORT_H
