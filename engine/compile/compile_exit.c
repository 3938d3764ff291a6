#include "engine/compile/compile.h"

/* A thread may be compiling when the process ends (exit, in another thread), and must not find objects of LLVM gone. */

#ifdef SHARED_LLVM

#include "base/fatal.h"
#include "jit/jit.h"

#include <llvm-c/Core.h>
#include <pthread.h>
#include <stdlib.h>

/* LLVM is a library of its own: its objects are destroyed when the process ends, the newest first, each by a function
 * that was given to the C library when it was made. A function of ours among them that was given later runs before: it
 * waits for compilations, and lets none begin any more. Objects are made when the library is opened, and about ten by
 * the first code that needs them: a little code is compiled in both ways before the first program, so that they are
 * there before another thread compiles, and the function is given again behind that and at both ends of the first
 * compilations. (What is made while the process already ends is destroyed after the wait.) */
enum { FIRST_COMPILATIONS = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static unsigned running, given;
static bool ending;
static _Thread_local unsigned own; /* of the running ones: this thread may end the process, too, from a hook */

static void wait_for_others(int status, void *unused)
{
    (void)status;
    (void)unused;
    pthread_mutex_lock(&lock);
    ending = true;
    while (running > own)
        pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
}

/* With the lock held. (Functions of on_exit and of C++ objects are in one list.) */
static void give_again(void)
{
    if (given < 2 * FIRST_COMPILATIONS && !ending && !on_exit(wait_for_others, NULL))
        given++;
}

/* Arithmetic of a type that no machine has, which takes most ways of a code generator. */
static void build_little(LLVMModuleRef m)
{
    LLVMContextRef c = LLVMGetModuleContext(m);
    LLVMTypeRef odd = LLVMVectorType(LLVMIntTypeInContext(c, 17), 3), address = LLVMPointerTypeInContext(c, 0);
    LLVMValueRef f = LLVMAddFunction(m, "little", LLVMFunctionType(LLVMVoidTypeInContext(c), &address, 1, false));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, f, "entry"));
    LLVMValueRef v = LLVMBuildLoad2(b, odd, LLVMGetParam(f, 0), "");
    LLVMBuildStore(b, LLVMBuildMul(b, v, LLVMBuildAdd(b, v, v, ""), ""), LLVMGetParam(f, 0));
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
}

static void compile_little(bool quick)
{
    struct arena *a = arena_new();
    struct jit *j = jit_new(a, diags_new(a), &(struct jit_options){ .opt_level = -1, .quick = quick });
    if (j) {
        build_little(jit_module(j, CODE_MACHINE, "little"));
        jit_compile(j); /* what goes wrong here goes wrong again, and is reported then */
    }
    jit_free(j);
    arena_free(a);
}

bool compile_begin(void)
{
    struct cleanup locked;
    guard_lock(&locked, &lock);
    if (!given && !ending) {
        compile_little(true);
        compile_little(false);
    }
    bool may = !ending;
    if (may) {
        running++;
        own++;
        give_again();
    }
    guard_unlock(&locked);
    return may;
}

void compile_end(void)
{
    pthread_mutex_lock(&lock);
    running--;
    own--;
    give_again();
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

#else

/* LLVM is in the plugin: its objects live as long as the process and are never destroyed, so nobody waits. C++ code
 * asks for their destruction by this function of the C library; the plugin is linked with one of its own, which nobody
 * outside sees and which does nothing. */

int __cxa_atexit(void (*destroy)(void *), void *object, void *library);

int __cxa_atexit(void (*destroy)(void *), void *object, void *library)
{
    (void)destroy;
    (void)object;
    (void)library;
    return 0;
}

bool compile_begin(void) { return true; }

void compile_end(void) {}

#endif
