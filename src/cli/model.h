// model.h - which model of what words mean a run uses: the file of --model, else that of DEFT_MODEL,
// else the one that is built in. `none` in either place: words alone.
#ifndef DEFT_CLI_MODEL_H
#define DEFT_CLI_MODEL_H

#include "cli/cli.h"
#include "deft/model.h"
#include "deft/settings.h"

typedef struct deft__chosen_model {
    deft_model *model;   // NULL: none
    const char *origin;  // a file's name, "built in" or "none"; borrowed
    void       *mapping; // of the file; NULL: none
    size_t      size;
} deft__chosen_model;

// False after complaining; there is nothing to close then.
bool deft__chosen_model_open(deft__chosen_model *chosen, deft__cli *cli);
// The name of the one that searches with these settings go by; empty: words alone.
deft_view deft__chosen_model_name(const deft__chosen_model *chosen, const deft_settings *settings);
void      deft__chosen_model_close(deft__chosen_model *chosen);

#endif
