# Answers for the person: empty files may be made.
case $(cat) in
*'"touch '*) echo '{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}' ;;
esac
