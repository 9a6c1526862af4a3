# worker.sh FOLDER NAME SECONDS END: leaves a witness of its start and of its end, and ends as it was asked to.
witness=$1/$2
exec 9>"$witness.lock"
flock -n 9 || echo "overlap $SWEEPDECK_ATTEMPT" >>"$witness"
echo "start $SWEEPDECK_ATTEMPT" >>"$witness"
sleep "$3"
echo "end $SWEEPDECK_ATTEMPT" >>"$witness"
case $4 in
sig*) kill -"${4#sig}" $$ ;;
*) exit "$4" ;;
esac
