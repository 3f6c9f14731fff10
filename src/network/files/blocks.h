/* network/files/blocks.h - shared by the formats of Hugin and Netica: blocks of NAME = VALUE;
 * lines.
 *
 * Names there are identifiers. Others are written as an identifier that begins with
 * CR__BLOCK_PREFIX, with the name itself as a title, and read back from there.
 */
#ifndef CR_NETWORK_FILES_BLOCKS_H
#define CR_NETWORK_FILES_BLOCKS_H

#include "network/files/files.h"
#include "network/files/lexer.h"

#define CR__BLOCK_MARKS "{}()=,;|"
#define CR__BLOCK_PREFIX "credence_"

/* Skip a value including its semicolon, or a block including its closing brace. */
cr_status cr__block_skip(cr__lexer *c);

/* Read a node's table, or a utility's numbers: numbers in nested parentheses up to the semicolon,
 * the node's own state fastest, then its last parent. A decision's is skipped. */
cr_status cr__block_table(cr__lexer *c, cr__builder *builder, uint32_t node);

/* "'X' is a continuous node; only ...", with the place. CR_EFORMAT. */
cr_status cr__block_refuse(cr__lexer *c, const char *what);

/* CR_EFORMAT: titles used as names gave two nodes, or two states of one node, the same name. */
cr_status cr__block_check_names(const cr__builder *builder, cr_error *err);

/* Whether a name can be written as it is. */
int cr__block_is_identifier(const char *name, size_t length);

/* An identifier for a name: itself, or the prefix, a letter and a number. */
void cr__block_print_name(cr__buffer *out, const char *name, char letter, size_t number);

/* A text in quotes. */
void cr__block_print_text(cr__buffer *out, const char *text);

/* A node's table in nested parentheses, numbers separated as given. */
void cr__block_print_table(cr__buffer *out, const cr__network *network, uint32_t node,
                           const char *part);

#endif
