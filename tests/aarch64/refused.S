// What no field of an instruction holds, by -D: a branch that is too long, or an address that a load cannot form.
    .text
    .globl f
    .type f, %function
f:
#ifdef TOO_LONG
    tbz x0, #0, beyond
    ret
    .space 40000
    .section .text.beyond, "ax", %progbits
beyond:
    ret
#endif
#ifdef TOO_FAR
    adrp x0, number
    ret
#endif
#ifdef NOT_ALIGNED
    adrp x0, byte
    ldr x0, [x0, :lo12:byte]
    ret
    .data
    .byte 0
byte:
    .byte 0
#endif
#ifdef TOO_WIDE
    ret
    .data
    .word number
#endif
#ifdef UNKNOWN
    movz x0, #:abs_g0:number
    ret
#endif
    .section .note.GNU-stack, "", %progbits
