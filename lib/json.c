/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "access.h"
#include "json.h"

/* bytes of the UTF-8 sequence at s, 0 when it is none (RFC 3629) */
static size_t utf8_length(const unsigned char *s)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 :
		     (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

void json_string(const char *s, FILE *out)
{
	const unsigned char *c = (const unsigned char *)s;

	if (!s) {
		fputs("null", out);
		return;
	}
	putc('"', out);
	while (*c) {
		size_t len = utf8_length(c);

		if (!len)
			fputs("\\ufffd", out);
		else if (*c < 0x20 || *c == 0x7f)
			fprintf(out, "\\u%04x", *c);
		else
			fprintf(out, "%s%.*s", *c == '"' || *c == '\\' ? "\\" : "", (int)len, (const char *)c);
		c += len ? len : 1;
	}
	putc('"', out);
}

static void json_groups(const struct access *a, FILE *out)
{
	fputs(", \"groups\": [", out);
	for (size_t i = 0; i < a->nr_groups; i++) {
		fputs(i ? ", " : "", out);
		json_string(a->groups[i], out);
	}
	fputs("]}", out);
}

static void json_bits(const struct flat *f, FILE *out)
{
	unsigned long long first = f->bit_offset / 8;

	if (f->member->bitfield)
		fprintf(out, ", \"offset\": %llu, \"size\": %llu, \"bit_offset\": %llu, \"bit_size\": %u", first,
			(f->bit_offset + f->member->bit_size + 7) / 8 - first, f->bit_offset, f->member->width);
	else
		fprintf(out, ", \"offset\": %llu, \"size\": %llu, \"bit_offset\": null, \"bit_size\": null",
			first, f->member->bit_size / 8);
}

static void json_member(const struct flat *f, const struct access *a, unsigned int line_size, FILE *out)
{
	fputs("{\"name\": ", out);
	json_string(f->member->name, out);
	fputs(", \"type\": ", out);
	json_string(f->member->type, out);
	json_bits(f, out);
	fprintf(out, ", \"line\": %llu, \"class\": ", f->bit_offset / 8 / line_size);
	json_string(access_class_name(a->class), out);
	fputs(", \"class_from\": ", out);
	json_string(a->class_from, out);
	json_groups(a, out);
}

static void json_record(const struct record *r, unsigned int line_size, FILE *out)
{
	size_t nr;
	struct flat *flat = record_flatten(r, &nr);
	struct access *access = access_of_members(flat, nr);
	const char *sep = "\n   ";

	fputs(" {\"name\": ", out);
	json_string(r->name, out);
	fprintf(out, ", \"kind\": \"%s\", \"size\": %llu, \"align\": %u, \"line_size\": %u, \"file\": ",
		r->is_union ? "union" : "struct", r->size, r->align, line_size);
	json_string(r->place.file, out);
	fprintf(out, ", \"line\": %u, \"members\": [", r->place.line);
	for (size_t i = 0; i < nr; i++) {
		if (!flat[i].member->name)
			continue;
		fputs(sep, out);
		json_member(&flat[i], &access[i], line_size, out);
		sep = ",\n   ";
	}
	fputs("]}", out);
}

void json_records(struct record *const *records, size_t nr, unsigned int line_size, FILE *out)
{
	fputs("[", out);
	for (size_t i = 0; i < nr; i++) {
		fputs(i ? ",\n" : "\n", out);
		if (records[i])
			json_record(records[i], line_size, out);
		else
			fputs(" null", out);
	}
	fputs(nr ? "\n]\n" : "]\n", out);
}
