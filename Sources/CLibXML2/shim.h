#include <libxml/xmlversion.h>
/* ICU's headers would come along, and Foundation brings an ICU of its own: one module cannot hold both. What they add
   to libxml2's is the inside of structures that nobody here looks into. */
#undef LIBXML_ICU_ENABLED
#include <libxml/xmlreader.h>

/* The type of libxml2's error callback changed with 2.12. */
#if LIBXML_VERSION >= 21200
static void submit_xml_ignore(void *context, const xmlError *error) {
#else
static void submit_xml_ignore(void *context, xmlErrorPtr error) {
#endif
    (void)context;
    (void)error;
}

/* Keeps a reader's complaints off standard error: what it makes of a document is in its return values. */
static inline void submit_xml_silence(xmlTextReaderPtr reader) {
    if (reader) xmlTextReaderSetStructuredErrorHandler(reader, submit_xml_ignore, NULL);
}

/* The version that is loaded, as digits. */
static inline const char *submit_xml_version(void) { return xmlParserVersion; }
