#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RING_SIZE 256

struct ring {
	uint8_t data[RING_SIZE];
	size_t head;
	size_t tail;
};

/* Returns the number of bytes that were written. */
size_t ring_write(struct ring *r, const uint8_t *src, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		r->data[r->head] = src[i];
		r->head = (r->head + 1) % RING_SIZE;
	}
	return len;
}

char *ring_name(const char *prefix)
{
	char *name = malloc(strlen(prefix));
	strcpy(name, prefix);
	return name;
}

void ring_free(struct ring *r)
{
	free(r);
	r->head = 0;
}
