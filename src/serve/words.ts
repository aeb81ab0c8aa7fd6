/**
 * Common English words, one token each: the vocabulary of the random-weight model, and what the simulated engine answers with.
 * Lower case, in order, no word twice.
 */
const TEXT = `
able about above across act actor add address advice afraid after again against age ago agree air airport album all
allow almost already also always am among an and anger animal answer any apartment appear apple april are area arm
arrange arrive art article artist as ask asleep at atom august autumn awake baby back bad balance ball balloon banana
band bank bar base basic basket battery be beach bean bear beat beauty because bed been before began begin behind
believe bell best better between bicycle big bird birthday bit bitter black blanket block blow blue board boat body
bone book border born borrow both bottle bottom bought bowl box boy brain branch bread break bridge bright bring broad
broke brother brought brown bucket budget build burn busy but butter button buy by cable cake calendar call came
camera camp can candle capital captain car card care careful carpet carry case castle cat catch caught cause ceiling
cell center century certain chair chance change character charge chart cheap check cheese cherry chicken chief child
children chocolate choose cinema circle circus citizen city claim class classroom clean clear client climb clock close
cloud coast coat coffee cold collect colony color column come comfort comma common company compare complete computer
concert condition connect consider contain continent continue control cook cool copper copy corn corner correct
corridor cost cotton could count country course cousin cover cow create credit crop cross crowd crown cry cup current
curtain custom cut dad daily dance danger dark daughter day deal dear december decide decision deep delay delivery
dentist depend describe desert design detail determine develop diamond dictionary did differ difficult dinner direct
discuss dish distance distant divide division do doctor document does dog dollar dolphin done door double down dozen
draw drawer dream dress drink drive driver drop drum dry duck during each eagle ear early earn earth ease east easy
eat edge effect egg eight either elbow electric electricity element elephant else end energy engine enough enter
envelope equal escape especially even evening event ever every evidence exact example except exercise exit expect
experience experiment explain eye face fact factory fair fairly fall family famous far farm fashion fast fat father
favor fear february feed feel feet fell felt fence festival few fiction field figure fill film final find fine finger
finish fire first fish fit five flag flame flat flight floor flour flow flower fly fog follow food foot for force
forest forever fork form fortune forward found fountain four fraction free freedom fresh friday friend frog from front
frozen fruit full fun furniture future galaxy game garage garden gas gather gave general genius gentle get giant
ginger giraffe girl give glad glass glove go goal goat gold gone good goose got govern grand grape grass gravity gray
great green grew ground group grow guess guide guitar gym habit had hair half hammer hand handle happen happy harbor
hard harvest has hat have hazel he head health hear heard heart heat heavy held hello helmet help her here hero high
hill him his history hit hobby hold hole holiday home honey hope horse hospital hot hotel hour house how huge human
humor hundred hurry ice idea idle if image imagine in inch include index indicate industry insect instant instrument
interest invent iron is island it jacket january jar jazz jeans jelly jewel job join journey joy judge juice july jump
june jungle just keep kept kettle key keyboard kind king kitchen kite kitten knee knew knife know ladder lady lake
lamp land language large last late latency laugh laundry law lawn lawyer lay lead leaf learn least leave led left leg
lemon length less lesson let letter level library lie life lift light like line lion liquid list listen little live
lizard lobby locate log long look lost lot loud love low luck lunch machine made magic magnet mail main major make man
manager many map marble march mark market mask mass master match material math matter may maybe mayor me meadow mean
meant measure meat medicine meet melody melon member memory men menu message metal method middle midnight might mile
milk million mind mine minute mirror miss mitten mix mixture mobile model modern molecule moment monday money monkey
monster month monument moon more morning most mother motion motor mount mountain mouth move movie much multiply muscle
museum mushroom music must my mystery name napkin nation natural nature near necessary neck need neighbor nephew nest
network never new newspaper next night nine no noise noon north nose note nothing notice november now number oak oat
object observe occur ocean october of off offer office often oh oil old olive on once one onion only open operate
opinion opposite or orange orbit orchard orchestra order organ original other our out oven over owl own oxygen package
paddle page paint pair palace panel paper parade paragraph parent parrot part particular partner party pass password
past pasta path patient pattern pay peace peach peanut pear pebble pencil penguin people pepper perfect perhaps period
person phone photo phrase piano pick picnic picture piece pillow pilot pine pitch pizza place plain plan plane planet
plant plate platform play please pocket poem poet point pony pool poor port pose position possible post potato pound
power practice prepare present press pretty print prize probable problem process produce product profit promise proper
property protect provide pull pumpkin puppet push put puzzle pyramid quart queen question queue quick quiet quite
rabbit race radar radio rail rain rainbow raincoat raise ran range rapid rather raven reach read ready real reason
receive recipe record red region remember repeat reply represent require rescue rest result rhythm ribbon rice rich
ride right ring ripple rise rival river road robot rock rocket roll room root rope rose round row rubber rule run
runner safe said sail sailor salad salt same sand sandwich satellite saturday sauce save saw say scale scarf school
science score screen script sea search season seat second secret section see seed seem segment select self sell send
sense sent sentence separate september serve server set settle seven several shadow shall shape share shark sharp she
sheep sheet shelf shell shine shiny ship shoe shop shore short should shoulder shout show side sight sign signal
silent silver similar simple since sing singer single sister sit six size sketch skill skin sky sleep sleeve slipper
slope slow small smell smile snack snail snow so soap soccer sock sofa soft soil soldier solution solve some son song
soon sound soup south space speak special speech speed spell spend spider spoon spot spread spring square stable
stadium stair stamp stand star start state station statue stay stead steam steel step stick still stone stood stop
store storm story stove straight strange strawberry stream street stretch string strong student study style subject
substance subway success such sudden sugar suggest suit summarize summer sun sunday sunset supply support sure surface
surprise swan sweater swim symbol system table tablet tail take talent talk tall taxi tea teach teacher team teeth
tell temperature temple ten tennis tent term test texture than thank thanks that the theater their them then there
these they thick thin thing think third this those though thought thousand three through throw thunder thursday ticket
tie tiger timber time tiny tire title to toast together token told tomato tomorrow tone too took tool top total touch
toward tower town toy track tractor trade traffic train travel treasure tree triangle trip trouble truck true trumpet
try tube tuesday tulip tunnel turn turtle twenty two type umbrella uncle under uniform unique unit until up us use
usual vacation valley value vanilla vary vegetable vehicle velvet verb very view village violin virtue visit voice
volcano volume waffle wagon wait waiter walk wall wallet walnut want warm was wash watch water wave way we wear
weather wednesday week weekend weight well went were west whale what wheat wheel when where whether which while
whistle white who whole why wide wife wild will win wind window wing winter wire wish with wizard woman women wonder
wood wool word work worker workshop world would write written wrong wrote yard year yellow yes yesterday yet yogurt
you young your zebra zero zone
`

export const WORDS: readonly string[] = TEXT.trim().split(/\s+/)
