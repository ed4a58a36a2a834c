#!/bin/sh
# Images through the tool, from JPEGs to predictions, on a few hundred faces of UTKFace.
#   tool_test.sh PATH_OF_DPFERMI FOLDER_OF_DPFERMI_DEEP FOLDER_OF_DATA
set -eu
tool=$(realpath "$1")
programs=$(realpath "$2")
DPFERMI_DEEP=$programs/dpfermi-deep
export DPFERMI_DEEP
if [ ! -e "$3/utkface/utkface_128x128.zip" ]; then
  echo "tool_test: skipped, there are no faces in $3"
  exit 0
fi
faces=$(realpath "$3/utkface")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "tool_test: $*" >&2
  exit 1
}

# interrupted WORDS...: a run that is killed after its first checkpoint and taken up again, on its own
# images alone.
interrupted() {
  rm -f run.ckpt again.model
  "$tool" train "$@" --ledger killed.db --checkpoint run.ckpt --out again.model > /dev/null &
  run=$!
  while [ ! -e run.ckpt ]; do kill -0 $run || fail "no checkpoint was written"; sleep 0.05; done
  kill -9 $run
  wait $run || true
  [ ! -e again.model ] || fail "the run was over before it could be killed"
  "$tool" train $(echo "$*" | sed 's|--images [^ ]*|--images swapped|') --ledger killed.db \
    --checkpoint run.ckpt --resume run.ckpt --out again.model > /dev/null 2> said &&
    fail "a run went on with other images"
  grep -q "run.ckpt was written with other images" said || fail "it said: $(cat said)"
  "$tool" train "$@" --ledger killed.db --checkpoint run.ckpt --resume run.ckpt --out again.model \
    > /dev/null
}

# Every sixtieth face, so that all ages are there.
awk 'NR == 1 || NR % 60 == 0' "$faces/labels.csv" > labels.csv
# The same names, each with the image of another.
python3 - "$faces/utkface_128x128.zip" <<'END'
import csv, os, sys, zipfile
names = [row["file"] for row in csv.DictReader(open("labels.csv"))]
os.mkdir("swapped")
with zipfile.ZipFile(sys.argv[1]) as archive:
    for name, other in zip(names, names[1:] + names[:1]):
        os.makedirs(os.path.dirname(os.path.join("swapped", name)), exist_ok=True)
        open(os.path.join("swapped", name), "wb").write(archive.read(other))
END
images="--image-column file --images $faces/utkface_128x128.zip"
common="labels.csv $images --target age --target-bins 15,30,50 --drop gender,datetime
  --id original_sha256 --sensitive race --sensitive-values race=0,1,2,3,4 --model small --side 16
  --network-epochs 2 --components 8 --work w --seed 1 --research --quiet --json"

# What two models compute and promise; the files also name the run that each was charged to.
same_model() { # FILE FILE
  [ "$("$tool" inspect --digest "$1")" = "$("$tool" inspect --digest "$2")" ]
}

# Before there is a network: a dry run makes nothing, and what will be refused is refused at once.
refused() { # STATUS WORDS...
  wanted=$1
  shift
  status=0
  "$tool" train $plain "$@" --ledger plain.db --out refused.model > /dev/null 2> said || status=$?
  [ $status -eq "$wanted" ] && [ ! -e w ] && [ "$(wc -l < said)" -eq 1 ] || fail "exit $status for $*: $(cat said)"
}
plain=$(echo "$common" | sed 's/--research//; s/--seed 1//')
"$tool" ledger init small --epsilon 1 --delta 1e-4 --adjacency sensitive --ledger plain.db --quiet > /dev/null
for part in "--method dp-fermi" "--method sketch" "--private-part network"; do
  status=0
  "$tool" train $plain $part --epsilon 10 --lambda 2 --dry-run --ledger plain.db --budget small --out dry.model \
    > dry.json 2> said || status=$?
  [ $status -eq 3 ] || fail "a dry run that does not fit exits with $status: $(cat said)"
  grep -q '"first": "the public network (small, 2 passes over 2[0-9]* images of 16 x 16 pixels)"' dry.json &&
    grep -q '"fits": false' dry.json || fail "a dry run says: $(cat dry.json)"
  refused 3 $part --epsilon 10 --lambda 2 --budget small
  refused 2 $part --epsilon 10 --lambda 2 --budget small --delta 2
  refused 2 $part --epsilon 1e-9 --lambda 2 --budget small
done
refused 2 --private-part network --epsilon 10 --lambda 2 --clip-norm 1e-300 --budget small

# The network itself: a model that copies its probabilities.
"$tool" train $common --method erm --out erm.model > erm.json
network=$(ls w/small-*.network)
before=$(cksum < "$network")
table=$(basename "$(ls w/features-*.csv)")
# What is kept serves again as it was written, and is made again where it is not; a network of other
# settings is another one.
made=$(cksum < "w/$table")
echo altered >> "w/$table"
: > "w/$table.components"
"$tool" train $common --method erm --out same.model > /dev/null
cmp -s erm.model same.model || fail "altered features were used"
[ "$(cksum < "w/$table")" = "$made" ] || fail "altered features were left"
mv "$network" kept
LC_ALL=C sed '2s/stamp ..../stamp ffff/' kept > "$network"
"$tool" train $common --method erm --out foreign.model 2> said > /dev/null &&
  fail "a foreign network was used"
grep -q "holds a network of other settings" said || fail "it said: $(cat said)"
mv kept "$network"
one="$(echo "$common" | sed 's/--network-epochs 2/--network-epochs 1/') --method erm"
cat > telling <<END
#!/bin/sh
echo "\$@" >> told
exec "$DPFERMI_DEEP" "\$@"
END
chmod +x telling
DPFERMI_DEEP=./telling "$tool" train $(echo "$one" | sed 's/--work w/--work w1/; s/--quiet//') --workers 1 \
  --out short.model 2> said > /dev/null
[ "$(grep -c -e '--workers 1' told)" -eq "$(wc -l < told)" ] || fail "--workers was not passed on: $(cat told)"
grep -q '^epoch 1 of 1, .* images/s' said || fail "no word about progress: $(cat said)"
"$tool" train $one --workers two --out short.model > /dev/null 2>&1 && fail "two is not a number of workers"
"$tool" train $one --out shorter.model > /dev/null
cmp -s short.model shorter.model || fail "a run of one epoch took another network"
if cmp -s short.model erm.model; then fail "the network of two epochs served a run of one"; fi
# With the network in place a dry run plans on it, and still makes nothing.
ls w > listed
"$tool" train $plain --private-part network --epsilon 1 --lambda 2 --dry-run --ledger plain.db --budget small \
  --out dry.model > dry.json
ls w | cmp -s - listed && grep -q '"fits": true' dry.json && ! grep -q '"first"' dry.json ||
  fail "a dry run with a network says: $(cat dry.json)"
# What names say about people is not in a model: under other names it has the same bytes.
mkdir twin
python3 - "$faces/utkface_128x128.zip" <<'END'
import csv, os, sys, zipfile
with open("labels.csv") as table, open("twin/labels.csv", "w") as out:
    rows = csv.DictReader(table)
    renamed = csv.DictWriter(out, rows.fieldnames, lineterminator="\n")
    renamed.writeheader()
    os.mkdir("twin/faces")
    with zipfile.ZipFile(sys.argv[1]) as archive:
        for i, row in enumerate(rows):
            name = f"{i}.jpg"
            open(os.path.join("twin/faces", name), "wb").write(archive.read(row["file"]))
            renamed.writerow({**row, "file": name})
END
(cd twin && "$tool" train $(echo "$common" | sed 's|--images [^ ]*|--images faces|') --method erm --out erm.model > /dev/null)
cmp erm.model twin/erm.model || fail "a model depends on the names of its images"
grep -q "stamp [0-9a-f]" "$network" || fail "the network is not stamped"
if grep -a -q "stamp [0-9a-f]" erm.model; then fail "a checksum of images and labels leaves the house"; fi
# A last layer under noise, from the same network.
"$tool" train $common --method dp-fermi --epsilon 10 --lambda 2 --epochs 5 --out private.model > /dev/null
# A sketch, then all parameters without noise; a sketch and a last layer, which sees pictures, too.
"$tool" train $common --method sketch --epsilon 10 --lambda 4 --tuning-epochs 2 --out tuned.model \
  > tuned.json
"$tool" train $common --method sketch --epsilon 10 --lambda 4 --tuning-epochs 0 --out last.model > /dev/null
# All parameters under noise, charged to a ledger.
charged="$(echo "$common" | sed 's/--research//') --private-part network --epsilon 10 --lambda 2
  --epochs 12 --checkpoint-every 8"
"$tool" train $charged --ledger whole.db --checkpoint whole.ckpt --out network.model > network.json
[ "$(ls w/trained-*.network | wc -l)" -eq 1 ] || fail "no network was trained privately"
[ "$(stat -c %a w)" = 700 ] || fail "others may look into --work"
# The same steps without noise, to compare with: fairness read exactly, and the loss alone.
"$tool" train $common --private-part network --method fermi --lambda 2 --epochs 12 \
  --out fermi-network.model > fermi.json
"$tool" train $common --private-part network --method erm --epochs 12 --out erm-network.model > erm2.json
grep -q 'training without noise (fermi)' fermi.json || fail "fermi does not say that it read s"
# The same people under another network: the same budget.
"$tool" train $(echo "$common" | sed 's/--research//; s/--work w/--work other/') --network-seed 7 \
  --epsilon 1 --lambda 2 --epochs 1 --ledger whole.db --out seventh.model > /dev/null
[ "$("$tool" ledger show --ledger whole.db --json | grep -c '"fingerprint"')" -eq 1 ] ||
  fail "another network opened another budget"
grep -q '"training steps"' network.json || fail "the steps are not in the statement"
# The same run killed after its first checkpoint and taken up again.
interrupted $charged
same_model network.model again.model || fail "a resumed run of a fixed seed is another one"
[ "$(cksum < "$network")" = "$before" ] || fail "the public network was trained again"
[ "$(ls w/tuned-*.network | wc -l)" -eq 2 ] || fail "the network was not tuned, corrected and tuned again"
grep -q '"fairness sketch"' tuned.json || fail "the sketch is not in the statement"
grep -q '"residual queries"' tuned.json || fail "the network's decisions were not asked about"
grep -q '"by": "query"' tuned.json || fail "the network was not measured"
# The network as it is, its decisions made fair by its own probabilities and a sketch. A new image
# needs neither s nor its label; without a violation to repair no decision becomes worse.
for fairness in dp eo; do
  "$tool" train $common --method repair --fairness $fairness --epsilon 10 --max-violation 0.02 \
    --out repair-$fairness.model > repair.json
  grep -q '"fairness sketch"' repair.json && grep -q '"residual queries"' repair.json ||
    fail "a repair states $(cat repair.json)"
done
"$tool" train $common --method repair --epsilon 10 --max-violation 0.99 --exact --out as-it-is.model > as-it-is.json
python3 - <<'END' || fail "there was nothing to repair, and more decisions are wrong"
import json, sys
network, repaired = (json.load(open(f"{name}.json"))["train"]["error"] for name in ("erm", "as-it-is"))
sys.exit(repaired > network)
END
[ "$(cksum < "$network")" = "$before" ] || fail "a repair trained the public network again"
for fairness in eo eopp; do
  "$tool" train $common --method sketch --fairness $fairness --epsilon 10 --lambda 4 \
    --tuning-epochs 1 --out $fairness.model > /dev/null
done

# New images need nothing but the model file.
head -21 labels.csv | cut -d, -f1 > new.csv
mv w gone
for model in erm private network fermi-network erm-network tuned last eo eopp repair-dp repair-eo as-it-is; do
  "$tool" predict $model.model new.csv --images "$faces/utkface_128x128.zip" --quiet > $model.csv
  [ "$(wc -l < $model.csv)" -eq 21 ] || fail "$model: not a line per image"
done
head -1 tuned.csv | grep -q '^file,label,' || fail "predictions do not begin with the file"
if cmp -s erm.csv tuned.csv; then fail "tuning changed nothing"; fi
# A column of the table may stand in for the file names.
"$tool" predict erm.model labels.csv --images "$faces/utkface_128x128.zip" --id datetime --quiet > ids.csv
[ "$(cut -d, -f1 ids.csv | head -3)" = "$(cut -d, -f5 labels.csv | head -3)" ] || fail "--id: $(head -3 ids.csv)"
# The card names the model: a network, or a last layer on one.
for model in erm tuned network fermi-network; do
  "$tool" inspect $model.model | grep -q '^  model      network small on images of 16 x 16 pixels' ||
    fail "the card of $model: $("$tool" inspect $model.model | grep model)"
done
"$tool" inspect private.model | grep -q '^  model      softmax regression' || fail "a last layer is called a network"
# The same images from the table of features that the model was trained on, and from no other.
for verb in predict evaluate; do
  "$tool" $verb tuned.model gone/$table > /dev/null 2> said && fail "$verb: another network's table was taken"
  grep -q "holds features of another network; give features-" said || fail "it said: $(cat said)"
done
for model in erm network last; do
  own=$("$tool" inspect $model.model | grep -o 'features-[0-9a-f]*\.csv')
  "$tool" predict $model.model "gone/$own" --id file --quiet > all.csv
  head -21 all.csv > table.csv
  awk -F, 'NR == FNR { seen[$1] = $0; next } FNR > 1 && ($1 in seen) { n = split(seen[$1], a, ",");
    for (i = 3; i <= n; ++i) if (a[i] - $i > 1e-4 || $i - a[i] > 1e-4) bad = 1; ++rows }
    END { exit bad || rows < 15 }' table.csv $model.csv || fail "$model gives an image two answers"
done

# Where records are protected: no public network, nothing estimated from images, a random start. What
# is left in the folder is the pack, labels, names, and the private network with its table.
record="$(echo "$common" |
  sed 's/--research//; s/--work w/--work r/; s/--network-epochs 2 --components 8//') --private-part network --epsilon 10
  --lambda 1 --epochs 12"
"$tool" train $record --adjacency replace-record --ledger record.db --dry-run --out replace.model > dry.json
[ ! -e record.db ] || fail "a dry run was charged"
"$tool" train $record --adjacency replace-record --ledger record.db --checkpoint record.ckpt \
  --checkpoint-every 8 --out replace.model > replace.json
[ "$(ls r | sed 's/-.*\././' | sort | uniq | tr '\n' ' ')" = \
  "features.components features.csv features.seal images.csv images.pack labels.u16 trained.network " ] ||
  fail "the folder holds $(ls r)"
interrupted $record --adjacency replace-record --checkpoint-every 8
same_model replace.model again.model || fail "a resumed run under replace-record is another one"
"$tool" train $(echo "$record" | sed 's/--quiet//') --adjacency add-remove-record --units 400 --ledger record.db \
  --out remove.model > remove.json 2> said
grep -q '^training: .* s left' said || fail "no word about progress: $(cat said)"
for model in replace remove; do
  grep -q '"training steps"' $model.json || fail "$model: the steps are not in the statement"
  grep -q '"adjacency": "'$model $model.json || grep -q '"adjacency": "add-'$model $model.json ||
    fail "$model: the adjacency is not in the statement"
  grep -a -q "random start, seed 1; then dp-fermi on all parameters" $model.model ||
    fail "$model: the model does not say where it started"
  "$tool" predict $model.model new.csv --images "$faces/utkface_128x128.zip" --quiet > $model.csv
  [ "$(wc -l < $model.csv)" -eq 21 ] || fail "$model: not a line per image"
done
# Once training is paid for the model is there, whatever becomes of its figures.
cat > failing <<END
#!/bin/sh
[ "\$1" != features ] || { echo "failing: no luck" >&2; exit 1; }
exec "$DPFERMI_DEEP" "\$@"
END
chmod +x failing
for words in "$(echo "$charged" | sed 's/--work w/--work gone/')" "$record --adjacency replace-record"; do
  rm -f paid.model paid.db*
  DPFERMI_DEEP=./failing "$tool" train $(echo "$words" | sed 's/--seed 1/--seed 2/; s/--checkpoint-every 8//') \
    --ledger paid.db --out paid.model 2> said && fail "features were not needed"
  grep -q "no luck: the model was not measured, but paid.model is whole" said || fail "it said: $(cat said)"
  [ "$("$tool" predict paid.model new.csv --images "$faces/utkface_128x128.zip" --quiet | wc -l)" -eq 21 ] ||
    fail "the model that was paid for does not predict"
done
rm -f paid.model paid.db*
DPFERMI_DEEP=./failing "$tool" train $(echo "$common" | sed 's/--work w/--work gone/; s/--seed 1/--seed 2/; s/--research//') \
  --method sketch --epsilon 10 --lambda 4 --tuning-epochs 1 --ledger paid.db --out paid.model 2> said &&
  fail "the network's decisions were not needed"
grep -q "no luck: paid.model holds the last layer of the sketch, no more" said || fail "it said: $(cat said)"
[ "$("$tool" predict paid.model new.csv --images "$faces/utkface_128x128.zip" --quiet | wc -l)" -eq 21 ] ||
  fail "the last layer that was paid for does not predict"
# Numbers that the network's program would refuse are refused before anything is paid.
for word in "--lambda 4 --tuning-rate -1" "--lambda 4 --tuning-rate nan" "--lambda 4 --network-decay 1e30" "--lambda 1e17"; do
  "$tool" train $(echo "$common" | sed 's/--research//') --method sketch --epsilon 10 --ledger unpaid.db \
    $word --out unpaid.model 2> said && fail "$word was taken"
  [ ! -e unpaid.db ] || fail "$word was charged: $(cat said)"
done
# A budget that does not cover a run refuses it before anything is paid, and is not said to have paid.
"$tool" ledger init poor --epsilon 1 --delta 1e-4 --adjacency replace-record --ledger poor.db --quiet > /dev/null
status=0
"$tool" train $record --adjacency replace-record --ledger poor.db --budget poor --out poor.model 2> said || status=$?
[ $status -eq 3 ] && ! grep -q "stays charged" said || fail "exit $status: $(cat said)"
# Without an id an image is a record, and is not called a person; whichever column is called s, the
# people, and so the budget, are the same.
by_image="$(echo "$record" | sed 's/--id original_sha256//; s/--epochs 12/--epochs 1/;
  s/--drop gender/--drop original_sha256,gender/') --ledger image.db --adjacency replace-record"
"$tool" train $by_image --out image.model > image.json
grep -q '"unit": "record"' image.json || fail "an image is called a person"
"$tool" train $(echo "$by_image" | sed 's/sha256,gender/sha256,race/; s/race=0,1,2,3,4/gender=0,1/;
  s/--sensitive race/--sensitive gender/') --out other.model > /dev/null
[ "$("$tool" ledger show --ledger image.db --json --quiet | grep -c '"fingerprint"')" -eq 1 ] ||
  fail "another s opened another budget: $("$tool" ledger show --ledger image.db)"
# Other images, with their labels: what training printed about the same ones.
awk 'NR == 1 || NR % 60 == 30' "$faces/labels.csv" > other.csv
"$tool" evaluate replace.model other.csv --images "$faces/utkface_128x128.zip" --json --quiet > other.json
grep -q '"exact_not_private": true' other.json || fail "exact figures are not marked"
"$tool" evaluate network.model labels.csv --images "$faces/utkface_128x128.zip" --epsilon 5 --research --quiet |
  grep -q "demographic parity" || fail "nothing was evaluated privately"
"$tool" train $record --adjacency add-remove-record --ledger record.db --out none.model 2> said && fail "n was counted"
grep -q "declare it with --units" said || fail "it said: $(cat said)"

# Your own network.
own=$(echo "$common" | sed 's/--model small/--model resnet8/')
DPFERMI_DEEP=$programs/resnet "$tool" train $own --method sketch --epsilon 10 --lambda 4 \
  --tuning-epochs 1 --out resnet.model > /dev/null
DPFERMI_DEEP=$programs/resnet "$tool" predict resnet.model new.csv \
  --images "$faces/utkface_128x128.zip" --quiet > resnet.csv
[ "$(wc -l < resnet.csv)" -eq 21 ] || fail "resnet: not a line per image"
"$tool" predict resnet.model new.csv --images "$faces/utkface_128x128.zip" 2> said &&
  fail "dpfermi-deep knew a network of another program"
grep -q "unknown model 'resnet8': choose one of small, vgg9" said || fail "it said: $(cat said)"

"$tool" predict erm.model new.csv --images none.zip 2> said && fail "missing images were not noticed"
[ "$(wc -l < said)" -eq 1 ] || fail "more than one line: $(cat said)"
[ "$(find . -name '*.part')" = "" ] || fail "a part of a file was left behind"
echo "tool_test: passed"
