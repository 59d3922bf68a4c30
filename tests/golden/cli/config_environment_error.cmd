# A variable that is wrong is named. Proves A4.
ENABLE_TOOL_SEARCH=perhaps deft settings get preset
DEFT_MIN_PCT=200 deft settings get preset
