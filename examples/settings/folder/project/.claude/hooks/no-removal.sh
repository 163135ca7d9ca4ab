# Blocks the call: exit code 2, with the reason for the model on standard error.
cat >/dev/null
echo "Nothing is removed here; move it to the folder attic instead." >&2
exit 2
