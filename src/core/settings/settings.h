// settings.h - what follows from settings, for more than one of our folders.
#ifndef DEFT_CORE_SETTINGS_SETTINGS_H
#define DEFT_CORE_SETTINGS_SETTINGS_H

#include "deft/settings.h"

// Whether searches go by what words mean where there is a model: that is a part of hybrid, and its rows
// are English stems.
bool deft__settings_use_model(const deft_settings *settings);

#endif
