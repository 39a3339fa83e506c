# The parser: flex and bison write C below $(B)/gen/ptx.
LIB_EXTRA_OBJ += $(B)/obj/gen/ptx/lexer.o $(B)/obj/gen/ptx/grammar.tab.o

$(B)/gen/ptx/grammar.tab.c: ptx/text/grammar.y
	@mkdir -p $(@D)
	bison -Wall -d -o $@ $<

$(B)/gen/ptx/grammar.tab.h: $(B)/gen/ptx/grammar.tab.c ;

$(B)/gen/ptx/lexer.c: ptx/text/lexer.l
	@mkdir -p $(@D)
	flex -o $@ $<

# Generated code is not ours to make free of warnings.
$(B)/obj/gen/ptx/%.o: $(B)/gen/ptx/%.c $(B)/gen/ptx/grammar.tab.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -w -MMD -MP -c $< -o $@

$(B)/obj/ptx/text/names.o: $(B)/gen/ptx/grammar.tab.h
$(B)/obj/ptx/text/parse.o: $(B)/gen/ptx/grammar.tab.h
