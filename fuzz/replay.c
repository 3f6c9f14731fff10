/* fuzz/replay.c - feed a fuzz target the files it is given, once each.
 *
 * A fuzz target has libFuzzer's entry point and no main. This main stands in for libFuzzer where
 * there is none, so that every compiler and every sanitizer replays the seeds. Arguments are files
 * or folders of files; a folder that does not exist counts as empty.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replayed;

/* An exact-size buffer, so that a sanitizer sees a read past the end. */
static int replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size > 0 ? size : 1);
    int status = 1;

    if (file == NULL || data == NULL || fread(data, 1, size, file) != size) {
        perror(path);
        goto done;
    }
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    replayed++;
    status = 0;
done:
    free(data);
    if (file != NULL)
        fclose(file);
    return status;
}

static int replay_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    struct stat info;
    char path[4096];
    int status = 0;

    if (dir == NULL)
        return 0;
    while ((entry = readdir(dir)) != NULL) {
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof path)
            status = 1;
        else if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
            status |= replay_file(path, (size_t)info.st_size);
    }
    closedir(dir);
    return status;
}

int main(int argc, char **argv)
{
    static const uint8_t nothing[1];
    struct stat info;
    int status = 0;

    LLVMFuzzerTestOneInput(nothing, 0);
    for (int i = 1; i < argc; i++) {
        if (stat(argv[i], &info) == 0 && S_ISREG(info.st_mode))
            status |= replay_file(argv[i], (size_t)info.st_size);
        else
            status |= replay_folder(argv[i]);
    }
    printf("%zu inputs replayed\n", replayed);
    return status;
}
