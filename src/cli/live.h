// live.h - the servers of the configuration as they are now, asked in one way: through the gateway
// that runs here, or alone, with servers started as they are needed and stopped again.
#ifndef DEFT_CLI_LIVE_H
#define DEFT_CLI_LIVE_H

#include "cli/cli.h"
#include "cli/progress.h"
#include "deft/config.h"
#include "store/store.h"
#include "json/reader.h"

typedef struct deft__live {
    deft__cli     *cli;
    deft_config   *config;
    bool           is_config_lent; // somebody else frees it
    deft_buffer    socket;         // path of the gateway's, with a NUL
    int            process_id;     // of the gateway; 0: there is none, or it is not to be asked
    deft__store   *store;          // opened when it is first needed, alone
    bool           is_store_tried;
    deft__progress progress;
    size_t         progress_done;
    deft__json     document; // the last answer
    deft_buffer    answer;   // its text
    deft_buffer    logins;   // path of their file, with a NUL; empty: there is none
} deft__live;

// Which gateway is asked. One is `here` when it was started in this directory; settings on the
// command line are for this run alone, so they are never asked of one.
typedef enum deft__live_choice {
    DEFT__LIVE_HERE, // one that is here; otherwise alone
    DEFT__LIVE_ANY   // one that is here, otherwise the newest; for what only a running one has
} deft__live_choice;

// Reads the settings and looks for a gateway; --gateway says which. False after complaining.
bool deft__live_open(deft__live *live, deft__cli *cli, deft__live_choice choice);
// The same with settings that were read already and stay somebody else's.
bool deft__live_lend(deft__live *live, deft__cli *cli, deft_config *config,
                     deft__live_choice choice);
void deft__live_close(deft__live *live);

// Whether there is any server to ask; complains where there is not.
bool deft__live_has_servers(deft__live *live);

// Asks (methods of serve/control.h). The answer is valid until the next one. False after complaining.
bool deft__live_ask(deft__live *live, const char *method, deft_view params,
                    deft__json_value *answer);

// Tells every gateway of this user, wherever it runs, that something about `server` is so, or no longer:
// they take it up at once, and those that do not know the server have nothing to do.
void deft__live_tell_all(const deft__cli *cli, const char *method, const char *server, bool is_on);

// Notes the servers that an answer lacks, and why: its member `missing`.
void deft__live_tell_missing(const deft__cli *cli, deft__json_value answer);

// The store of this user; NULL after saying why, once.
deft__store *deft__live_store(deft__live *live);

// Where logins are kept, with a NUL; false: nowhere.
bool deft__logins_file(deft_buffer *path);

// The store, opened for whoever has no deft__live: close it. NULL after saying why. `busy_ms` is how long
// a write waits for other processes; 0: as long as a gateway can.
deft__store *deft__open_store(deft__cli *cli, const deft_config *config, uint32_t busy_ms);

#endif
