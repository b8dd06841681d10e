#!/bin/sh
# Prints how many files wait in /var/spool/NAME, and for how long the oldest has waited. Ends with 3 if there is no such folder.
case "$1" in */* | .*) exit 3 ;; esac
folder="/var/spool/$1"
[ -d "$folder" ] || exit 3
waiting=$(find "$folder" -maxdepth 1 -type f | wc -l)
oldest=$(find "$folder" -maxdepth 1 -type f -printf "%T@\n" | sort -n | head -n 1 | cut -d . -f 1)
now=$(date +%s)
printf '{"waiting": %d, "oldest_seconds": %d}\n' "$waiting" "$((now - ${oldest:-$now}))"
