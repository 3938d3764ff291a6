// Functions whose instructions and data need every kind of relocation that the placer knows for AArch64: tests/aarch64/place.c calls
// them. `near` and `far` are functions, `number` is data far away, `small` an address below 4 GiB; all are defined elsewhere.

    .macro function name, section=.text
    .section \section, "ax", %progbits
    .balign 4
    .globl \name
    .type \name, %function
\name:
    .endm

// ---- branches ----

    function call_near              // CALL26
    stp x29, x30, [sp, #-16]!
    bl near
    ldp x29, x30, [sp], #16
    ret

    function call_far
    stp x29, x30, [sp, #-16]!
    bl far
    add x0, x0, #1
    bl far                          // by the same veneer
    ldp x29, x30, [sp], #16
    ret

    function jump_far               // JUMP26
    b far

    function call_inside            // defined in this object
    stp x29, x30, [sp, #-16]!
    bl in_another_section
    ldp x29, x30, [sp], #16
    ret

    function branches               // CONDBR19, TSTBR14: x0 = 0, odd or even
    cbz x0, is_zero
    cmp x0, #100
    b.hi is_large
    tbnz x0, #0, is_odd
    mov x0, #2
    ret

    function is_zero, .text.other
    mov x0, #10
    ret

    function is_large, .text.other
    mov x0, #30
    ret

    function is_odd, .text.other
    mov x0, #1
    ret

    function in_another_section, .text.other
    add x0, x0, #7
    ret

// ---- addresses of what the object defines ----

    function near_address           // ADR_PREL_LO21
    adr x0, table+8
    ldr x0, [x0]
    ret

    function literal                // LD_PREL_LO19
    ldr x0, table+16
    ret

    function page_address           // ADR_PREL_PG_HI21, ADD_ABS_LO12_NC
    adrp x1, table
    add x1, x1, :lo12:table
    ldr x0, [x1, x0, lsl #3]
    ret

    function loads                  // LDST8 .. LDST128_ABS_LO12_NC: the sum of one number of each size
    adrp x1, sizes
    ldrb w0, [x1, :lo12:sizes]
    adrp x1, sizes+2
    ldrh w2, [x1, :lo12:sizes+2]
    add x0, x0, x2
    adrp x1, sizes+4
    ldr w2, [x1, :lo12:sizes+4]
    add x0, x0, x2
    adrp x1, sizes+8
    ldr x2, [x1, :lo12:sizes+8]
    add x0, x0, x2
    adrp x1, sizes+16
    ldr q0, [x1, :lo12:sizes+16]
    mov x2, v0.d[1]
    add x0, x0, x2
    ret

    function stores                 // the same field in an instruction that writes; gives the number from before
    adrp x1, counter
    ldr x2, [x1, :lo12:counter]
    str x0, [x1, :lo12:counter]
    mov x0, x2
    ret

// ---- addresses of what others define ----

    function number_by_got          // ADR_GOT_PAGE, LD64_GOT_LO12_NC
    adrp x0, :got:number
    ldr x0, [x0, :got_lo12:number]
    ldr x0, [x0]
    ret

    function own_by_got
    adrp x0, :got:counter
    ldr x0, [x0, :got_lo12:counter]
    ret

    function far_by_got
    adrp x1, :got:far
    ldr x1, [x1, :got_lo12:far]
    br x1

    function number_by_pointer      // ABS64 with an addend
    adrp x0, pointers
    ldr x0, [x0, :lo12:pointers]
    ldr x0, [x0]
    ret

    function pointer_inside
    adrp x1, pointers+8
    ldr x1, [x1, :lo12:pointers+8]
    br x1

    function small_address          // ABS32
    adrp x0, short_pointer
    ldr w0, [x0, :lo12:short_pointer]
    ret

    function distances              // PREL64 and PREL32: two ways to one address
    adrp x1, wide_distance
    add x1, x1, :lo12:wide_distance
    ldr x0, [x1]
    add x0, x0, x1
    adrp x1, distance
    add x1, x1, :lo12:distance
    ldrsw x2, [x1]
    add x2, x2, x1
    cmp x0, x2
    csel x0, x0, xzr, eq
    ret

// ---- data ----

    .section .rodata, "a", %progbits
    .balign 16
table:
    .xword 1, 10, 100, 1000
    .balign 16
sizes:
    .byte 1, 0
    .hword 20
    .word 300
    .xword 4000
    .xword 0, 50000
distance:
    .word counter - .
    .balign 8
wide_distance:
    .xword counter - .

    .section .data.rel, "aw", %progbits
    .balign 8
pointers:
    .xword number + 16
    .xword in_another_section
short_pointer:
    .word small

    .data
    .balign 8
    .globl counter
counter:
    .xword 5

    .section .note.GNU-stack, "", %progbits
