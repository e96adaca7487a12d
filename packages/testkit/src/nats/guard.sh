# Runs a program for as long as whoever started this lives, and not a moment longer.
#
#   sh guard.sh <folder> <program> [argument …]
#
# When the standard input of this script ends, which the death of its parent brings about as well,
# the program is killed and the folder removed. Until then the program's id is nobody else's, even if
# the program has ended.

folder=$1
shift
"$@" </dev/null >/dev/null &
program=$!
trap '' INT TERM HUP
# So that the end of the standard error is the end of the program.
exec 2>/dev/null
read -r _
kill -9 "$program"
wait
rm -rf "$folder"
