/* base/fail.c - error text: one place that writes a cr_error and one that reads it out.
 *
 * Messages are made of names and values that came from files, so text that does not fit is cut at a
 * character boundary and ends in "...".
 */
#include "base/fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The length of the valid UTF-8 character (RFC 3629) at bytes, or 0 when there is none. */
static size_t character_length(const unsigned char *bytes, size_t left)
{
    unsigned char lead = bytes[0];
    if (lead < 0x80)
        return 1;
    size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
    int overlong = (lead == 0xE0 && bytes[1] < 0xA0) || (lead == 0xF0 && bytes[1] < 0x90);
    int surrogate = lead == 0xED && bytes[1] > 0x9F;
    int too_large = lead == 0xF4 && bytes[1] > 0x8F;
    return overlong || surrogate || too_large ? 0 : length;
}

/* A terminal obeys the C0 controls, DEL and, encoded in UTF-8 as C2 80..9F, the C1 controls. */
static int is_control(const unsigned char *bytes, size_t length)
{
    return bytes[0] < 0x20 || bytes[0] == 0x7F ||
           (length == 2 && bytes[0] == 0xC2 && bytes[1] < 0xA0);
}

char *cr__printable(char *out, size_t size, const char *bytes, size_t length)
{
    static const char hex[] = "0123456789ABCDEF";
    const unsigned char *in = (const unsigned char *)bytes;
    size_t at = 0, cut = 0; /* cut: the last boundary after which "..." and NUL still fit */

    for (size_t i = 0; i < length;) {
        size_t step = character_length(in + i, length - i);
        int escape = step == 0 || is_control(in + i, step);
        if (escape)
            step = 1;
        size_t need = escape ? 4 : step;
        if (at + 4 <= size)
            cut = at;
        if (need >= size - at) {
            if (size >= 4)
                memcpy(out + cut, "...", 3);
            out[size >= 4 ? cut + 3 : 0] = '\0';
            return out;
        }
        if (escape) {
            const char code[4] = {'\\', 'x', hex[in[i] >> 4], hex[in[i] & 15]};
            memcpy(out + at, code, 4);
        } else {
            memcpy(out + at, in + i, step);
        }
        at += need;
        i += step;
    }
    out[at] = '\0';
    return out;
}

/* vsnprintf into a field that may itself be among the arguments, hence the separate buffer. Text
 * that is too long ends in "..." after a whole character. */
CR_PRINTF_LIKE(3, 0)
static void format_field(char *field, size_t size, const char *fmt, va_list args)
{
    char text[sizeof((cr_error *)0)->message];

    int length = vsnprintf(text, size, fmt, args);
    if (length < 0) {
        text[0] = '\0';
    } else if ((size_t)length >= size) {
        size_t end = size - 4;
        while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
            end--;
        memcpy(text + end, "...", 4);
    }
    memcpy(field, text, strlen(text) + 1);
}

/* Start a new error, with a message of less than size bytes. */
CR_PRINTF_LIKE(4, 0)
static void fail_with(cr_error *err, cr_status code, size_t size, const char *fmt, va_list args)
{
    err->hint_items = 0;
    format_field(err->message, size, fmt, args);
    cr__hint_settle(err, err->message, 1);
    err->code = code;
    err->line = err->column = 0;
    err->file[0] = err->hint[0] = '\0';
}

cr_status cr__fail(cr_error *err, cr_status code, const char *fmt, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, fmt);
        fail_with(err, code, sizeof err->message, fmt, args);
        va_end(args);
    }
    return code;
}

cr_status cr__fail_memory(cr_error *err)
{
    return cr__fail(err, CR_ENOMEM, "out of memory");
}

/* strerror is not thread-safe, and strerror_r has two signatures. */
static const char *errno_text(int code, char *buffer, size_t size)
{
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    return strerror_r(code, buffer, size);
#else
    return strerror_r(code, buffer, size) == 0 ? buffer : "unknown error";
#endif
}

cr_status cr__fail_errno(cr_error *err, const char *fmt, ...)
{
    int code = errno;

    if (err != NULL) {
        char reason[128];
        va_list args;
        va_start(args, fmt);
        fail_with(err, CR_EIO, sizeof err->message - sizeof reason, fmt, args);
        va_end(args);
        const char *text = errno_text(code, reason, sizeof reason);
        size_t used = strlen(err->message);
        snprintf(err->message + used, sizeof err->message - used, ": %s", text);
    }
    errno = code;
    return CR_EIO;
}

cr_status cr__fail_at(cr_error *err, cr_status code, const char *file, size_t line, size_t column)
{
    if (err == NULL)
        return code;
    if (file != NULL && file != err->file)
        cr__printable(err->file, sizeof err->file, file, strlen(file));
    err->line = line;
    err->column = column;
    return err->code;
}

cr_status cr__fail_hint(cr_error *err, cr_status code, const char *fmt, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, fmt);
        format_field(err->hint, sizeof err->hint, fmt, args);
        va_end(args);
        cr__hint_drop(err, 0);
        cr__hint_settle(err, err->hint, 0);
    }
    return code;
}

const char *cr_status_text(cr_status status)
{
    switch (status) {
#define CR_X(name, value, text)                                                                    \
    case CR_##name: return text;
        CR_STATUS_MAP(CR_X)
#undef CR_X
    }
    return "unknown status";
}

char *cr_error_text(const cr_error *err, char *buffer, size_t size)
{
    char place[sizeof err->file + 64] = "";

    if (size == 0)
        return buffer;
    if (err == NULL) {
        buffer[0] = '\0';
        return buffer;
    }
    const char *file = err->file, *before = file[0] != '\0' ? ":" : "line ";
    if (err->line > 0 && err->column > 0)
        snprintf(place, sizeof place, "%s%s%zu:%zu: ", file, before, err->line, err->column);
    else if (err->line > 0)
        snprintf(place, sizeof place, "%s%s%zu: ", file, before, err->line);
    else if (file[0] != '\0')
        snprintf(place, sizeof place, "%s: ", file);
    const char *message = err->message[0] != '\0' ? err->message : cr_status_text(err->code);
    if (err->hint[0] != '\0')
        snprintf(buffer, size, "%s%s (%s)", place, message, err->hint);
    else
        snprintf(buffer, size, "%s%s", place, message);
    return buffer;
}

cr__size cr__size_of(double bytes)
{
    static const char *const unit[] = {"bytes", "KB", "MB", "GB", "TB", "PB"};
    cr__size size;
    size_t u = 0;

    while (bytes >= 1000 && u < 5) {
        bytes /= 1000;
        u++;
    }
    snprintf(size.text, sizeof size.text, bytes < 10 && u > 0 ? "%.1f %s" : "%.0f %s", bytes,
             unit[u]);
    return size;
}
