# libsdfg.spdx.json: the bill of materials (SPDX 2.3) of what this build links, with versions and licences.
set(bill_packages)
set(bill_relations)
# bill(NAME VERSION LICENCE RELATION PLACE): STATIC_LINK and DYNAMIC_LINK are relations of SPDX, CONTAINS is for headers that are compiled in.
function(bill name version licence relation place)
    string(REGEX REPLACE "[^A-Za-z0-9.-]" "-" id "SPDXRef-${name}")
    string(APPEND bill_packages ",
    { \"SPDXID\": \"${id}\", \"name\": \"${name}\", \"versionInfo\": \"${version}\", \"downloadLocation\": \"${place}\",
      \"filesAnalyzed\": false, \"licenseConcluded\": \"${licence}\", \"licenseDeclared\": \"${licence}\", \"copyrightText\": \"NOASSERTION\" }")
    string(APPEND bill_relations ",
    { \"spdxElementId\": \"SPDXRef-libsdfg\", \"relationshipType\": \"${relation}\", \"relatedSpdxElement\": \"${id}\" }")
    set(bill_packages "${bill_packages}" PARENT_SCOPE)
    set(bill_relations "${bill_relations}" PARENT_SCOPE)
endfunction()

set(linked DYNAMIC_LINK)
if(llvm_static)
    set(linked STATIC_LINK)
endif()
bill(llvm ${llvm_version} "Apache-2.0 WITH LLVM-exception" ${linked} "https://llvm.org")
bill(libstdc++ ${CMAKE_CXX_COMPILER_VERSION} "GPL-3.0-or-later WITH GCC-exception-3.1" ${linked} "https://gcc.gnu.org")
bill(zlib ${ZLIB_VERSION_STRING} Zlib DYNAMIC_LINK "https://zlib.net")
if(llvm_static AND zstd_archive)
    bill(zstd NOASSERTION BSD-3-Clause STATIC_LINK "https://facebook.github.io/zstd")
endif()
file(STRINGS ${XXHASH_INCLUDE}/xxhash.h xxhash_lines REGEX "#define XXH_VERSION_(MAJOR|MINOR|RELEASE) ")
string(REGEX REPLACE "[^0-9;]" "" xxhash_version "${xxhash_lines}")
list(JOIN xxhash_version . xxhash_version)
bill(dagre 3.0.0 MIT CONTAINS "https://github.com/dagrejs/dagre")
bill(xxhash ${xxhash_version} BSD-2-Clause CONTAINS "https://xxhash.com")
string(TIMESTAMP bill_time "%Y-%m-%dT%H:%M:%SZ" UTC) # SOURCE_DATE_EPOCH if that is set
string(SHA1 bill_hash "${PROJECT_VERSION}${bill_packages}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/libsdfg.spdx.json @ONLY CONTENT [[{
  "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "libsdfg-@PROJECT_VERSION@",
  "documentNamespace": "urn:libsdfg:@PROJECT_VERSION@:@bill_hash@",
  "creationInfo": { "created": "@bill_time@", "creators": ["Organization: the libsdfg authors"] },
  "packages": [
    { "SPDXID": "SPDXRef-libsdfg", "name": "libsdfg", "versionInfo": "@PROJECT_VERSION@", "downloadLocation": "NOASSERTION",
      "filesAnalyzed": false, "licenseConcluded": "BSD-3-Clause", "licenseDeclared": "BSD-3-Clause", "copyrightText": "2026, the libsdfg authors" }@bill_packages@
  ],
  "relationships": [
    { "spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-libsdfg" }@bill_relations@
  ]
}
]])
