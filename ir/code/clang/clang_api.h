/* libclang by name: opened when the first C++ tasklet is met, so that programs without one pay nothing for it. */
#ifndef LOWER_CLANG_API_H
#define LOWER_CLANG_API_H

#include "base/arena.h"

#include <clang-c/Index.h>
#include <stdbool.h>

/* F(name): clang_<name> becomes the member <name>. */
/* clang-format off */
#define CLANG_FUNCTIONS(F)                                                                                             \
    F(createIndex)                                                                                                     \
    F(toggleCrashRecovery)                                                                                             \
    F(disposeIndex)                                                                                                    \
    F(parseTranslationUnit2)                                                                                           \
    F(disposeTranslationUnit)                                                                                          \
    F(getTranslationUnitCursor) F(getNumDiagnostics) F(getDiagnostic) F(getDiagnosticSeverity)                         \
        F(getDiagnosticSpelling) F(getDiagnosticLocation) F(disposeDiagnostic) F(getCString) F(disposeString)          \
            F(visitChildren) F(getCursorKind) F(getCursorType) F(getCursorReferenced) F(getCursorDefinition) F(        \
                getCursorSpelling) F(getCursorSemanticParent) F(getCursorLocation) F(getCursorExtent) F(getRangeStart) \
                F(getRangeEnd) F(getExpansionLocation) F(equalCursors) F(Cursor_isNull) F(isExpression) F(isStatement) \
                    F(tokenize) F(getTokenKind) F(getTokenSpelling) F(getTokenLocation) F(disposeTokens) F(            \
                        Cursor_Evaluate) F(EvalResult_getKind) F(EvalResult_getAsLongLong) F(EvalResult_isUnsignedInt) \
                        F(EvalResult_getAsUnsigned) F(EvalResult_getAsDouble) F(EvalResult_getAsStr)                   \
                            F(EvalResult_dispose) F(Cursor_getNumArguments) F(Cursor_getArgument)                      \
                                F(Cursor_getVarDeclInitializer) F(Cursor_getStorageClass) F(Cursor_getMangling)        \
                                    F(Cursor_getOffsetOfField) F(getCursorBinaryOperatorKind)                          \
                                        F(getCursorUnaryOperatorKind) F(getEnumConstantDeclUnsignedValue)              \
                                            F(getEnumDeclIntegerType) F(CXXMethod_isStatic) F(CXXMethod_isDefaulted)   \
                                                F(CXXConstructor_isCopyConstructor)                                    \
                                                    F(CXXConstructor_isMoveConstructor) F(getCanonicalType)            \
                                                        F(getPointeeType) F(getArrayElementType) F(getArraySize)       \
                                                            F(getElementType) F(getNumElements) F(getTypeDeclaration)  \
                                                                F(getTypeSpelling) F(getResultType)                    \
                                                                    F(isConstQualifiedType) F(Type_getSizeOf)          \
                                                                        F(Type_getAlignOf) F(Type_visitFields)         \
                                                                            F(Type_getNumTemplateArguments)            \
                                                                                F(Type_getTemplateArgumentAsType)      \
                                                                                    F(getFieldDeclBitWidth)            \
                                                                                        F(isFunctionTypeVariadic)                      \
                                                                                            F(getSpecializedCursorTemplate) F(getCursorTLSKind)
/* clang-format on */

struct clang_api {
#define F(name) __typeof__(clang_##name) *name;
    CLANG_FUNCTIONS(F)
#undef F
};

/* NULL if no libclang can be opened; *tried then names the last one. */
const struct clang_api *clang_api_open(struct arena *a, const char **tried);

#endif
