/* Plug-ins of libsdfg: shared libraries that add to an engine (docs/plugins.md). They need this header and link
 * nothing:
 *
 *     #include <sdfg_plugin.h>
 *
 *     static bool scale(void *user, const sdfg_node *node) { ... }
 *     SDFG_PLUGIN("acme", "1.0", "nodes of Acme's accelerator");
 *     SDFG_PLUGIN_EXPORT bool sdfg_plugin_init(const sdfg_plugin_api *api)
 *     {
 *         return api->implement(api->plugin, "acme.nodes.Scale", "scales an array", scale, NULL);
 *     }
 *
 * What it registers belongs to one engine. If one registration or the function fails, the engine is as if the plug-in
 * had never been loaded. Structs that are registered are copied with all their texts. */
#ifndef SDFG_PLUGIN_H
#define SDFG_PLUGIN_H

#include "sdfg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when plug-ins must be compiled again; new functions are appended to sdfg_plugin_api without that. */
#define SDFG_PLUGIN_ABI 1

typedef struct sdfg_plugin sdfg_plugin; /* a plug-in that registers itself; only inside its function, in that thread */

/* What a plug-in says of itself. */
struct sdfg_plugin_about {
    size_t struct_size; /* set by the plug-in */
    int abi;            /* SDFG_PLUGIN_ABI of the header that it was compiled with */
    const char *name;   /* letters, digits and any of "_-."; unique in an engine */
    const char *version;
    const char *text; /* one line that says what it adds */
};

/* Open enumerations of the file format. */
enum sdfg_enumeration {
    SDFG_ENUM_SCHEDULE,
    SDFG_ENUM_STORAGE,
    SDFG_ENUM_LANGUAGE,
    SDFG_ENUM_INSTRUMENT,
    SDFG_ENUM_DATA_INSTRUMENT
};

/* Types of the attributes of a template, as JSON has them. */
enum sdfg_attribute_type {
    SDFG_ATTRIBUTE_INTEGER,
    SDFG_ATTRIBUTE_REAL, /* or an integer */
    SDFG_ATTRIBUTE_BOOL,
    SDFG_ATTRIBUTE_TEXT,
    SDFG_ATTRIBUTE_INTEGERS /* a list */
};

typedef struct sdfg_attribute {
    const char *name;
    enum sdfg_attribute_type type;
    int64_t reserved[2];
} sdfg_attribute;

/* A member of an enumeration. With attributes it is a template: files have {"type": "ScheduleType.NAME", "size": 4} for
 * an instance of it, in which all attributes are given, and the name alone for the template. */
typedef struct sdfg_member {
    size_t struct_size; /* set by the plug-in */
    enum sdfg_enumeration enumeration;
    const char *name; /* as in files; an identifier that the enumeration does not have yet */
    const sdfg_attribute *attributes;
    size_t num_attributes;
    /* What Default means near it (NULL: what it means elsewhere). Of a schedule: the storage of transients and the
     * schedule of scopes directly inside its scopes. */
    const char *storage_inside, *schedule_inside;
} sdfg_member;

/* A library node that is replaced by a graph before code is made for it. All of it lives as long as the call. */
typedef struct sdfg_connector {
    const char *name;
    bool output;
    const char *container;    /* that the memlet names */
    const char *type;         /* of its elements, as in files: "float64" */
    int rank;                 /* of the container */
    const char *const *shape; /* `rank` expressions of the memlet's extents, those of 1 included; NULL: no memlet */
    int64_t reserved[3];
} sdfg_connector;

typedef struct sdfg_expansion {
    size_t struct_size; /* set by the library */
    const char *class_path, *label;
    const char *properties; /* JSON object: the attributes as the file has them */
    size_t num_connectors;
    const sdfg_connector *connectors; /* inputs, then outputs */
} sdfg_expansion;

/* Takes a text, which is copied: of an expansion the JSON of an SDFG, `size` bytes. The last one counts. */
typedef void sdfg_give(void *to, const char *text, size_t size);

/* Gives `give` the SDFG that does what the node means: its containers have the names of the connectors and are not
 * transient; its free symbols are those of the graph around the node. False: `give` got a sentence that says why not,
 * or nothing. Called when code is made, from any thread, several at the same time. */
typedef bool sdfg_expand_function(void *user, const sdfg_expansion *x, sdfg_give *give, void *to);

/* What a plug-in registers with. The functions return false after a mistake, which becomes an error of whoever loads
 * the plug-in. */
struct sdfg_plugin_api {
    size_t struct_size; /* set by the library: a plug-in may ask whether a function is there */
    int version;        /* of the library, as sdfg_version_number */
    sdfg_plugin *plugin;
    /* Why the function will return false, for the error. */
    void (*fail)(sdfg_plugin *p, const char *why);
    /* `function` is called when the engine is freed, and if loading the plug-in fails later; the last first. */
    void (*at_free)(sdfg_plugin *p, void (*function)(void *user), void *user);
    /* As sdfg_engine_implement; `text`: one line that says what the node does. */
    bool (*implement)(sdfg_plugin *p, const char *class_path, const char *text, sdfg_node_function *f, void *user);
    /* Library nodes of this class become graphs; the last registration of a class, also one of `implement`, is the only
     * one: a second one is a mistake. */
    bool (*expand)(sdfg_plugin *p, const char *class_path, const char *text, sdfg_expand_function *f, void *user);
    bool (*member)(sdfg_plugin *p, const sdfg_member *m);
};

#if defined(__GNUC__)
#define SDFG_PLUGIN_VISIBLE __attribute__((visibility("default")))
#else
#define SDFG_PLUGIN_VISIBLE
#endif
/* The two symbols of a plug-in: SDFG_PLUGIN("acme", "1.0", "what it adds"); and, after SDFG_PLUGIN_EXPORT, the function
 * sdfg_plugin_init. */
#ifdef __cplusplus
#define SDFG_PLUGIN_EXPORT extern "C" SDFG_PLUGIN_VISIBLE
#else
#define SDFG_PLUGIN_EXPORT SDFG_PLUGIN_VISIBLE
#endif
#define SDFG_PLUGIN(name, version, text)                                                                               \
    SDFG_PLUGIN_EXPORT sdfg_plugin_function sdfg_plugin_init;                                                          \
    SDFG_PLUGIN_EXPORT const sdfg_plugin_about *sdfg_plugin_get(void);                                                 \
    SDFG_PLUGIN_EXPORT const sdfg_plugin_about *sdfg_plugin_get(void)                                                  \
    {                                                                                                                  \
        static const sdfg_plugin_about about = { sizeof(sdfg_plugin_about), SDFG_PLUGIN_ABI, name, version, text };    \
        return &about;                                                                                                 \
    }                                                                                                                  \
    struct sdfg_plugin_end

#ifdef __cplusplus
}
#endif

#endif
