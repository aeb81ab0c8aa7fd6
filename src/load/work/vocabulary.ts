/** Each is one token, after a space or at the start, in eight vocabularies tried (GPT-2 to o200k, Llama 2 and 3, Gemma, Qwen, Mistral). */
export const WORDS: readonly string[] = `
able about above actor add after age ago air all allow almost always am an and anger answer any apple area arm art as
ask atom back bad band bank bar basic be bean bed been begin bell best big bird bit block blue board body bone book
born both box boy brain break bridge bright build burn but buy by camera camp can card care case cat catch cause
center chair charge chart check child circle city class clean clear clock close cloud column come cool copy corn could
count course create credit crop cup custom dad danger dark deal deep delay design detail did do doctor dog done door
down draw drive drop each ear earth edge effect either else energy engine enter escape even event every except exit
face fact fall family far fat father feed field figure fill final find fire first fish five flag flat floor flow
flower follow food for force forest form found four friend from front full fun future gas get give glass go gold good
got grass gray great ground group had hair half hand handle hard hat have he health heart held help her hero high hill
his hit hold home horse hot house how ice if image inch index iron it jar job joy just key kind king know lake land
last late law lead leaf leave led left length less let level lie life like line list live log look lost lot low made
magic main major make many map market mask mass match math may me mean member men menu middle mile mind miss mobile
model money month more mother motion mouth move movie music must my nation near need new next night note notice number
object of offer office often old on once only open orange order organ our out oven own page pair paper parent party
pass past pay people period phone photo phrase piece pine place plan plane plate play please pool port pose power
press pretty profit pull put queue quick race radio rail raise ran range read ready reason record red repeat reply
rest rice rich ride ring rise river rock roll root rose round rule run safe same save say school score script sea
search seat second secret seed select self sent server shadow shape share she sheet shell ship shop shore should show
sign simple since single sit six skill skin sky slow small so some son soon sound south speed spot spring stable stand
star state stead stick still stone stop store storm stream street string style such system table tail talk team ten
test than that their then there they thing third this those three throw ticket time tiny title token too top total
touch track trade train true try tube two type unique unit until us use usual verb very view volume wait walk was
watch wave way we week weight well were west what when where while white who wide will win window wing wire woman wood
work worker world write wrong yard yellow yes yet your zero
`
  .trim()
  .split(/\s+/)
