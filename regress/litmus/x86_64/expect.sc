SB Never
SB+mfences Never
MP+regs Never
counter Never
cmpxchg Always
spin Always
