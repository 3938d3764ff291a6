#include "lower/tree/tree_depend_problem.h"

#include <string.h>

enum { MOST_CHOICES = 3 /* min and max in one another */ };
static const int64_t LARGEST = INT64_MAX / 4; /* of the constants in a row */

/* ---- loops ---- */

static const struct tree_frame *frame_of(const struct tree_frame *frame, const struct tree_stmt *loop)
{
    while (frame && frame->loop != loop)
        frame = frame->outer;
    return frame;
}

static bool is_counter(const struct tree_frame *frame, const struct tree_var *v)
{
    while (frame && frame->loop->var != v)
        frame = frame->outer;
    return frame != NULL;
}

static const struct tree_frame *find_shared(const struct depend_query *q)
{
    const struct tree_frame *f = q->a->frame;
    if (q->count) {
        f = frame_of(f, q->loops[0].a);
        f = f ? f->outer : NULL;
    }
    while (f && !frame_of(q->b->frame, f->loop))
        f = f->outer;
    return f;
}

/* ---- values ---- */

static bool reads_memory(const struct tree_expr *e)
{
    return e->op == EXPR_LOAD || e->op == EXPR_MASKED || e->op == EXPR_CALL;
}

bool depend_is_same(const struct depend_problem *p, const struct tree_expr *e)
{
    const struct depend_query *q = p->query;
    if (reads_memory(e))
        return false;
    if (e->op == EXPR_VAR && !is_counter(p->shared, e->var) &&
        (is_counter(q->a->frame, e->var) || is_counter(q->b->frame, e->var) ||
         (q->changes && q->changes(q->user, e->var))))
        return false;
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!depend_is_same(p, e->args[i]))
            return false;
    return true;
}

/* Has the expression one value as long as nothing but loops further in than `frame` goes on? */
static bool stays(const struct depend_problem *p, const struct tree_expr *e, const struct tree_frame *frame)
{
    if (reads_memory(e))
        return false;
    if (e->op == EXPR_VAR)
        return is_counter(frame, e->var) || depend_is_same(p, e);
    for (uint32_t i = 0; i < e->num_args; i++)
        if (!stays(p, e->args[i], frame))
            return false;
    return true;
}

bool depend_is_fixed(const struct depend_problem *p, const struct tree_expr *factor)
{
    for (uint32_t i = 0; i < p->num_twins; i++)
        if (p->twins[i].to == factor)
            return false;
    return depend_is_same(p, factor);
}

static const struct tree_expr *variable(struct depend_problem *p, struct tree_var *v)
{
    struct tree_expr *e = NEW(p->query->arena, struct tree_expr);
    e->op = EXPR_VAR;
    e->type = v->type;
    e->var = v;
    return e;
}

static const struct tree_expr *new_variable(struct depend_problem *p, const struct type *type)
{
    struct tree_var *v = NEW(p->query->arena, struct tree_var);
    v->name = "";
    v->type = type;
    return variable(p, v);
}

static const struct tree_expr *twin_of(struct depend_problem *p, const struct tree_expr *e)
{
    for (uint32_t i = 0; i < p->num_twins; i++)
        if (expr_equal(p->twins[i].from, e))
            return p->twins[i].to;
    if (p->num_twins == DEPEND_TWINS)
        return NULL;
    struct depend_twin *t = &p->twins[p->num_twins++];
    *t = (struct depend_twin){ e, new_variable(p, e->type) };
    return t->to;
}

/* Integers that are extended keep their values. */
static const struct tree_expr *without_cast(const struct tree_expr *e)
{
    while (e->op == EXPR_CAST && type_is_signed(e->type) && type_is_signed(e->args[0]->type) &&
           e->args[0]->type->size <= e->type->size)
        e = e->args[0];
    return e;
}

bool depend_name(struct depend_problem *p, struct linear *out, const struct linear *in, bool b)
{
    struct linear term;
    linear_constant(out, in->constant);
    out->known = in->known;
    for (uint32_t i = 0; out->known && i < in->count; i++) {
        linear_constant(&term, 0);
        term.terms[term.count++] = in->terms[i];
        for (uint32_t k = 0; k < term.terms[0].count; k++) {
            const struct tree_expr **factor = &term.terms[0].factors[k];
            *factor = without_cast(*factor);
            p->system.loose |= (*factor)->op != EXPR_VAR; /* not every value, and not apart from other values */
            if (b && !depend_is_same(p, *factor))
                *factor = twin_of(p, *factor);
            if (!*factor)
                return false;
        }
        linear_add(out, &term, 1);
    }
    return out->known;
}

/* ---- rows ---- */

/* What a variable that is a sum of sizes is. */
static void add_size(struct depend_problem *p, int number, const struct tree_var *v)
{
    struct linear sum, own;
    struct system_row row = { .constant = -v->least };
    row.times[number] = 1;
    if (v->least > 0)
        system_add(&p->system, &row);
    linear_of(&sum, v->size);
    if (!depend_name(p, &own, &sum, false) || !depend_row(p, &row, &own))
        return;
    row.equal = true;
    row.times[number]--;
    system_add(&p->system, &row);
}

static int number_of(struct depend_problem *p, const struct linear_term *term)
{
    struct system *s = &p->system;
    for (uint32_t i = 0; i < s->vars; i++)
        if (linear_same_factors(&p->names[i], term))
            return (int)i;
    if (s->vars + 1 == SYSTEM_VARS) /* one is for the values of a sum */
        return -1;
    for (uint32_t i = 0; i < s->count; i++)
        s->rows[i].times[s->vars] = 0;
    s->loose |= term->count > 1;
    p->names[s->vars] = *term;
    int number = (int)s->vars++;
    if (term->count == 1 && term->factors[0]->op == EXPR_VAR && term->factors[0]->var->size)
        add_size(p, number, term->factors[0]->var);
    return number;
}

bool depend_row(struct depend_problem *p, struct system_row *row, const struct linear *l)
{
    memset(row, 0, sizeof *row);
    row->constant = l->constant;
    if (l->constant < -LARGEST || l->constant > LARGEST)
        return false;
    for (uint32_t i = 0; l->known && i < l->count; i++) {
        int number = number_of(p, &l->terms[i]);
        if (number < 0)
            return false;
        row->times[number] = l->terms[i].times;
    }
    return l->known;
}

static void add(struct depend_problem *p, const struct linear *l, bool equal)
{
    struct system_row row;
    bool whole = depend_row(p, &row, l);
    row.equal = equal;
    if (whole)
        system_add(&p->system, &row);
    else
        p->system.loose = true;
}

/* The sum is at least 0. With min(x, y) or -max(x, y) in it, that is so with x and with y. */
static void add_bound(struct depend_problem *p, const struct linear *l, bool b, int depth)
{
    struct linear own;
    for (uint32_t i = 0; l->known && depth < MOST_CHOICES && i < l->count; i++) {
        const struct linear_term *term = &l->terms[i];
        const struct tree_expr *e = term->count == 1 ? term->factors[0] : NULL;
        if (!e || e->op != (term->times > 0 ? EXPR_MIN : EXPR_MAX))
            continue;
        for (int side = 0; side < 2; side++) {
            struct linear with, choice;
            linear_copy(&with, l);
            with.terms[i] = with.terms[--with.count];
            linear_of(&choice, e->args[side]);
            linear_add(&with, &choice, term->times);
            add_bound(p, &with, b, depth + 1);
        }
        return;
    }
    if (l->known && depend_name(p, &own, l, b))
        add(p, &own, false);
    else
        p->system.loose = true;
}

/* begin + k * step = v, for some k. */
static void add_step(struct depend_problem *p, const struct tree_stmt *loop, const struct linear *behind, bool b)
{
    struct linear own;
    if (expr_is_int(loop->step, 1))
        return;
    if (loop->step->op != EXPR_INT || !depend_name(p, &own, behind, b) || own.count == LINEAR_TERMS) {
        p->system.loose = true;
        return;
    }
    const struct tree_expr *k = new_variable(p, loop->var->type);
    own.terms[own.count++] = (struct linear_term){ .times = -loop->step->i, .count = 1, .factors = { k } };
    add(p, &own, true);
}

/* v - begin */
static bool behind_begin(struct depend_problem *p, const struct tree_frame *frame, struct linear *out)
{
    struct linear begin;
    linear_of(out, variable(p, frame->loop->var));
    linear_of(&begin, frame->loop->begin);
    linear_add(out, &begin, -1);
    return out->known && stays(p, frame->loop->begin, frame->outer);
}

const struct tree_expr *depend_end(const struct tree_stmt *loop)
{
    for (int side = 0; loop->end->op == EXPR_MAX && side < 2; side++) {
        struct linear span, end;
        linear_of(&span, loop->begin);
        linear_of(&end, loop->end->args[side]);
        linear_add(&span, &end, -1);
        if (linear_is_constant(&span) && span.constant >= 0)
            return loop->end->args[1 - side];
    }
    return loop->end;
}

static void add_loop(struct depend_problem *p, const struct tree_frame *frame, bool b)
{
    const struct tree_stmt *loop = frame->loop;
    struct linear behind, left, last;
    if (behind_begin(p, frame, &behind)) {
        add_bound(p, &behind, b, 0);
        add_step(p, loop, &behind, b);
    } else {
        p->system.loose = true;
    }
    linear_of(&left, depend_end(loop));
    linear_of(&last, variable(p, loop->var));
    linear_add(&left, &last, -1);
    linear_constant(&last, 1);
    linear_add(&left, &last, -1);
    if (stays(p, loop->end, frame->outer))
        add_bound(p, &left, b, 0);
    else
        p->system.loose = true;
}

bool depend_distance(struct depend_problem *p, const struct depend_loop *loop, struct linear *out)
{
    const struct tree_frame *a = frame_of(p->query->a->frame, loop->a), *b = frame_of(p->query->b->frame, loop->b);
    struct linear of_a, of_b, named;
    linear_constant(out, 0);
    if (!a || !b || !behind_begin(p, a, &of_a) || !behind_begin(p, b, &of_b) || !depend_name(p, &named, &of_b, true))
        return false;
    linear_add(out, &named, 1);
    if (!depend_name(p, &named, &of_a, false))
        return false;
    linear_add(out, &named, -1);
    return out->known;
}

void depend_begin(struct depend_problem *p, const struct depend_query *q)
{
    p->query = q;
    p->shared = find_shared(q);
    p->num_twins = 0;
    p->filled = false;
    system_clear(&p->system);
    for (const struct tree_frame *f = q->a->frame; f; f = f->outer)
        add_loop(p, f, false);
    for (const struct tree_frame *f = q->b->frame; f; f = f->outer)
        if (!frame_of(p->shared, f->loop))
            add_loop(p, f, true);
    for (uint32_t i = 0; i < q->count; i++) {
        struct linear distance;
        if (!q->loops[i].in_step)
            continue;
        if (depend_distance(p, &q->loops[i], &distance))
            add(p, &distance, true);
        else
            p->system.loose = true;
    }
}
