/* text/stop.c - words too common to be informative. */
#include "text/stop.h"

#include "base/file.h"
#include "base/memory.h"
#include "text/utf8.h"

#include <string.h>
#include <strings.h>

/* --- the lists ------------------------------------------------------------------------------- */

/* Articles, pronouns, prepositions, conjunctions, auxiliaries and the commonest adverbs, written
 * down for this program. Words with an apostrophe are there for the `words` tokens. */
static const struct list {
    const char *code, *name, *words;
} lists[] = {
    {"en", "english",
     "a about above after again against all also am an and any are aren't as at be because been "
     "before being below between both but by can can't cannot could couldn't did didn't do does "
     "doesn't doing don't down during each few for from further had hadn't has hasn't have haven't "
     "having he he'd he'll he's her here here's hers herself him himself his how how's i i'd i'll "
     "i'm i've if in into is isn't it it's its itself let's me more most mustn't my myself no nor "
     "not of off on once only or other ought our ours ourselves out over own same shall shan't she "
     "she'd she'll she's should shouldn't so some such than that that's the their theirs them "
     "themselves then there there's these they they'd they'll they're they've this those through "
     "to too under until up upon us very was wasn't we we'd we'll we're we've were weren't what "
     "what's when when's where where's which while who who's whom whose why why's will with won't "
     "would wouldn't yet you you'd you'll you're you've your yours yourself yourselves"},
    {"de", "german",
     "aber alle allem allen aller alles als also am an ander andere anderem anderen anderer "
     "anderes "
     "auch auf aus bei beim bin bis bist da dabei damit dann das dass dazu dein deine deinem "
     "deinen "
     "deiner dem den denn der deren des dessen dich die dies diese diesem diesen dieser dieses dir "
     "doch dort du durch ein eine einem einen einer eines einige er es etwas euch euer eure für "
     "gegen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren "
     "ihrer im in indem ins ist ja jede jedem jeden jeder jedes jene jenem jenen jener jenes jetzt "
     "kann kein keine keinem keinen keiner können könnte man manche mein meine meinem meinen "
     "meiner "
     "mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine "
     "seinem seinen seiner seit sich sie sind so solche soll sollte sondern sonst um und uns unser "
     "unsere unter viel vom von vor war waren warst was weil welche welchem welchen welcher "
     "welches "
     "wenn werde werden wer wie wieder will wir wird wo wollen wurde wurden während würde würden "
     "zu "
     "zum zur zwar zwischen über"},
    {"fr", "french",
     "à ai aie ainsi alors as au aucun aussi autre aux avaient avait avant avec avez avoir avons "
     "c'est car ce ceci cela celle celles celui ces cet cette ceux chaque chez comme comment d "
     "dans "
     "de depuis des donc dont du elle elles en encore entre es est et étaient était étant être eu "
     "eux fait faire fois font il ils j je jusqu l la laquelle le lequel les lesquels leur leurs "
     "lors lorsque lui m ma mais me même mes moi moins mon n ne ni nos notre nous on ont ou où par "
     "parce pas peu peut plus pour pourquoi puis qu quand que quel quelle quelles quels qui quoi s "
     "sa sans se sera seront ses si soi soit somme sommes son sont sous suis sur t ta te tes toi "
     "ton tous tout toute toutes très tu un une vers voici voilà vos votre vous y"},
    {"es", "spanish",
     "a al algo algunas algunos allí ante antes aquel aquella aquí así aun aunque bien cada casi "
     "como con contra cual cuando cuanto de del desde donde dos durante e el él ella ellas ellos "
     "en "
     "entonces entre era eran es esa esas ese eso esos esta está están estaba estar estas este "
     "esto "
     "estos fue fueron ha había habían han has hasta hay he la las le les lo los luego más me mi "
     "mientras mis mucho muchos muy nada ni no nos nosotros nuestra nuestro o os otra otras otro "
     "otros para pero poco por porque pues que qué quien quienes se sea ser si sí sido sin sino "
     "sobre son soy su sus suya suyo también tan tanto te tener tenía ti tiene tienen todo todos "
     "tu "
     "tú tus un una unas uno unos usted ustedes vosotros y ya yo"},
    {"it", "italian",
     "a ad agli ai al alla alle allo altri altro anche ancora avere aveva c'è che chi ci cioè coi "
     "col come con cui da dagli dai dal dalla dalle dallo degli dei del dell della delle dello di "
     "dopo dove e è ed era erano essere fra fu già gli ha hai hanno ho i il in io l la le lei li "
     "lo "
     "loro lui ma me mi mia mie miei mio molto ne negli nei nel nella nelle nello noi non nostra "
     "nostro o ogni per perché più poi prima qua quale quando quanto quasi quella quelle quelli "
     "quello questa queste questi questo qui se sei senza si sia siamo siete solo sono sopra sotto "
     "sta stata stato su sua sue sugli sui sul sulla sulle sullo suo suoi te ti tra tu tua tuo "
     "tutti tutto un una uno va vi voi vostra vostro"},
    {"pt", "portuguese",
     "a à ainda algo alguns ante antes ao aos apenas aquela aquele aqui as às assim até bem cada "
     "com como contra da das de dela dele depois desde dessa desse desta deste do dois dos e é ela "
     "elas ele eles em enquanto entre era eram essa essas esse esses esta está estão estas estava "
     "este estes estou eu foi for foram há isso isto já lá lhe lhes mais mas me mesmo meu meus "
     "minha minhas muito muitos na não nas nem nessa nesse nesta neste no nos nós nossa nosso num "
     "numa o onde os ou outra outras outro outros para pela pelas pelo pelos pode por porque pouco "
     "qual quando quanto que quem são se seja sem sempre ser será seu seus si sido só sob sobre "
     "sua "
     "suas também te tem têm tendo ter teu tinha toda todas todo todos tu tua tudo um uma umas uns "
     "você vocês vos"},
    {"nl", "dutch",
     "aan al alle alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door "
     "dus een eens en er ge geen geweest haar had hadden heb hebben heeft hem het hier hij hoe hun "
     "iemand iets ik in is ja je jij jou jouw kan kon kunnen maar me meer men met mij mijn moet na "
     "naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen tijdens toch toen "
     "tot "
     "tussen u uit uw van veel voor waar want waren was wat we welke werd wezen wie wij wil worden "
     "wordt ze zelf zich zij zijn zo zonder zou zouden"},
    {"sv", "swedish",
     "alla allt att av bara blev bli blir blivit bland dem den denna deras dess dessa det detta "
     "dig "
     "din dina ditt dock du där då efter ej eller en er era ert ett from från för före genom ha "
     "hade han hans har henne hennes hon honom hur här i icke in inom inte jag ju kan kunde man "
     "med "
     "mellan men mig min mina mitt mot mycket ni nu när någon något några och också om oss på "
     "redan "
     "samma sedan sig sin sina sitt själv ska skall skulle som så sådan till under upp ut utan vad "
     "var vara varför varit varje vars vem vi vid vilka vilken vilket vår våra vårt än är åt över"},
};

const char *cr__stop_list(const char *language, const char **code)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strcasecmp(lists[i].code, language) == 0 || strcasecmp(lists[i].name, language) == 0) {
            *code = lists[i].code;
            return lists[i].words;
        }
    }
    return NULL;
}

const char *cr__stop_languages(void)
{
    return "en de fr es it pt nl sv";
}

/* --- a file ---------------------------------------------------------------------------------- */

enum { FILE_LIMIT = 16 << 20 };

/* Append the words of a file's UTF-8 text. */
static void add_words(const char *text, size_t size, cr__buffer *words)
{
    size_t i = 0;

    while (i < size) {
        const size_t start = i;

        while (i < size && (unsigned char)text[i] > ' ' && text[i] != '#')
            i++;
        if (i > start) {
            if (words->size > 0)
                cr__buffer_addc(words, ' ');
            cr__buffer_add(words, text + start, i - start);
        }
        if (i < size && text[i] == '#')
            while (i < size && text[i] != '\n')
                i++;
        else
            i++;
    }
}

cr_status cr__stop_file(const char *path, cr__buffer *words, cr_error *err)
{
    cr__buffer text = {0};
    cr__map map = {0};
    cr_status status = cr__map_open(&map, path, err);

    if (status != CR_OK)
        return status;
    if (map.size > FILE_LIMIT) {
        status = cr__fail(err, CR_ELIMIT, "the stop words in %s take more than 16 MiB", path);
        goto done;
    }
    if (cr__utf8_valid(map.data, map.size)) {
        add_words(map.data, map.size, words);
    } else if (cr__buffer_reserve(&text, CR__UTF8_GROWTH * map.size) != NULL) {
        text.size = cr__utf8_from_1252(map.data, map.size, text.data);
        add_words(text.data, text.size, words);
    }
    if (text.failed || words->failed)
        status = cr__fail_memory(err);
done:
    cr__buffer_free(&text);
    cr__map_close(&map);
    return status;
}

/* --- the set --------------------------------------------------------------------------------- */

static uint64_t *find_place(uint64_t *places, size_t capacity, uint64_t hash)
{
    size_t i = hash & (capacity - 1);

    while (places[i] != 0 && places[i] != hash)
        i = (i + 1) & (capacity - 1);
    return &places[i];
}

/* At most a quarter full, so that most lookups need only the first slot. */
static int enlarge(cr__stop_set *set)
{
    const size_t capacity = set->capacity > 0 ? 2 * set->capacity : 512;
    uint64_t *places = cr__alloc_zero(capacity, sizeof *places);

    if (places == NULL)
        return 0;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->places[i] != 0)
            *find_place(places, capacity, set->places[i]) = set->places[i];
    cr__free(set->places);
    set->places = places;
    set->capacity = capacity;
    return 1;
}

int cr__stop_set_add(cr__stop_set *set, uint64_t hash)
{
    uint64_t *place;

    if (4 * set->count >= set->capacity && !enlarge(set))
        return 0;
    place = find_place(set->places, set->capacity, hash);
    set->count += *place != hash;
    *place = hash;
    return 1;
}

void cr__stop_set_free(cr__stop_set *set)
{
    cr__free(set->places);
    *set = (cr__stop_set){0};
}
