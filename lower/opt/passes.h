/* Passes over the loop tree: what they are told, and all of them. The machine is that of the tree. */
#ifndef LOWER_OPT_PASSES_H
#define LOWER_OPT_PASSES_H

#include "lower/tree/tree.h"

/* Numbers that passes were given. */
enum tree_setting {
#define SETTING(name, least, most, text) SETTING_##name,
#include "lower/opt/settings.def"
    NUM_SETTINGS
};

struct tree_options {
    int num_threads; /* 1: no parallel regions at all; 0: decided at run time */
    bool plain;      /* LLVM does not optimize: variables stay in memory */
    bool strict_fp;  /* no re-association in reductions */
    bool fast_fp;    /* results may be less exact than their types */
    unsigned check;  /* enum sdfg_rt_check_kind: what checked mode looks for */
    bool device;     /* nests go to a device instead of threads of the host */
    bool cublas;     /* ... where products of matrices may be calls of that library */
    bool cusolver;   /* ... and factorizations of that one */
    bool cufft;      /* ... and Fourier transforms of that one */
    bool counting;   /* of the work that the tree does: loops that would be cut into tiles only say so (`near`) */
    int32_t settings[NUM_SETTINGS]; /* 0: as usual */
};

/* For which code a row is. */
enum tree_pass_device { TREE_PASS_CPU = 1, TREE_PASS_GPU = 2, TREE_PASS_BOTH = TREE_PASS_CPU | TREE_PASS_GPU };

typedef bool tree_pass(struct tree *t, const struct tree_options *o); /* false: an error, which it reported */
#define TREE_PASS(name, function, device, needs, makes, breaks, text) tree_pass function;
#include "lower/opt/passes.def"

#endif
