/* Objects of LLVM and of the C++ library that live as long as the process are never destroyed: a thread may be
 * compiling when the process ends, and would find them gone. C++ code asks for their destruction by this function of
 * the C library; the plugin is linked with one of its own, which nobody outside sees and which does nothing. (An LLVM
 * that is a shared library of its own keeps to that of the C library.) */

int __cxa_atexit(void (*destroy)(void *), void *object, void *library);

int __cxa_atexit(void (*destroy)(void *), void *object, void *library)
{
    (void)destroy;
    (void)object;
    (void)library;
    return 0;
}
