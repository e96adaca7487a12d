# Runs a program, and ends it when the process that started this script ends.
#
#   sh guard.sh <folder> <program> [argument …]
#
# When the standard input of this script ends, as it does with its parent, the program is killed and
# the folder removed. Until then no other process gets the program's id, even if the program has ended.

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
