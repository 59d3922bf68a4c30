#include "serve/certificate.h"

#include "base/fail.h"

#include <stdio.h>
#include <time.h>

// For who forgets the s of https.
#define PLAIN_TEXT "This port speaks TLS: use https:// instead of http://\n"
#define PLAIN_ANSWER                                                                               \
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n"                \
    "Content-Length: 54\r\n\r\n" PLAIN_TEXT
_Static_assert(sizeof PLAIN_TEXT - 1 == 54, "as the answer says");

// "the certificate in 'FILE' has expired"
static void note(const deft__serve_options *options, const char *what, const char *why)
{
    char         line[480];
    deft__quoted quoted;
    if (options->note != NULL) {
        (void)snprintf(line, sizeof line, "the certificate in '%s' %s%s",
                       deft__quote(&quoted, deft_view_of(options->tls_certificate)), what, why);
        options->note(options->context, deft_view_of(line));
    }
}

static void check_date(const deft__serve_options *options, const deft__tls *tls)
{
    const char *complaint = deft__tls_complaint(tls, (int64_t)time(NULL));
    if (complaint != NULL) {
        note(options, complaint, "");
    }
}

deft_status deft__certificate_open(const deft__serve_options *options,
                                   const deft_allocator *allocator, deft__tls **tls,
                                   deft_error *error)
{
    const deft__tls_options files = {.certificate  = options->tls_certificate,
                                     .key          = options->tls_key,
                                     .client_ca    = options->tls_client_ca,
                                     .plain_answer = deft_view_of(PLAIN_ANSWER)};
    *tls                          = NULL;
    if ((files.certificate == NULL) != (files.key == NULL)) {
        return deft__fail(error, DEFT_CONFLICT, 0,
                          "TLS takes a certificate and its key: give both --tls-certificate and "
                          "--tls-key");
    }
    if (files.certificate == NULL) {
        return files.client_ca == NULL
                   ? DEFT_OK
                   : deft__fail(error, DEFT_CONFLICT, 0,
                                "--tls-client-ca is of no use without --tls-certificate and "
                                "--tls-key");
    }
    *tls = deft__tls_new(&files, allocator, error);
    if (*tls == NULL) {
        return DEFT_INVALID;
    }
    check_date(options, *tls);
    return DEFT_OK;
}

void deft__certificate_look(const deft__serve_options *options, deft__tls *tls)
{
    deft_error           error = DEFT_ERROR_INIT;
    const deft__tls_news news  = deft__tls_look(tls, &error);
    if (news == DEFT__TLS_RENEWED) {
        note(options, "is new, and new connections get it", "");
        check_date(options, tls);
    } else if (news == DEFT__TLS_BROKEN) {
        note(options, "has changed and cannot be used; the old one stays: ", error.message);
    } else {
        // It is the same, or is being written.
    }
}
