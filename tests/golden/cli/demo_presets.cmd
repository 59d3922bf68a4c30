# With every preset it shows tool search, and says where it had to turn it on.
for preset in deft pizzapi praisonai claude-sdk claude-code kiro; do
    echo "$preset $(deft demo --preset $preset | grep -c -e '^These settings' -e 'ready to call')"
done
