"""What the name of a column says about its values, in several languages of Europe.

A name is cut into words, `PatientID` and `patient_id` alike; accents and case do not count. The longest run of words
that a list below holds decides: `date_of_birth` is a date of birth before `date` is a date.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

__all__ = ["TOPICS", "Topic", "topics_of"]

Needs = Literal["nothing", "many values", "different values"]


@dataclass(frozen=True)
class Topic:
    """What columns are about whose names hold one of these words."""

    what: str
    role: Literal["identifier", "quasi-identifier", "sensitive"]
    words: str
    """Words, and runs of words without the spaces between them; `geburts*` is every word that begins so.

    `=name` is a name of one word: a column `name` names people, `country_name` does not.
    """
    needs: Needs = "nothing"
    """What the values must be like besides: a word such as `number` alone says little."""


TOPICS = (
    Topic(
        "names of persons",
        "identifier",
        """surname lastname firstname forename middlename fullname givenname familyname maidenname birthname initials
        nachname vorname familienname geburtsname rufname zuname nom prénom nomdefamille patronyme apellido apellidos
        nombre nombres cognome nome naam voornaam achternaam imię nazwisko förnamn efternamn fornavn etternavn
        efternavn navn namn sobrenome apelido jméno příjmení sukunimi etunimi patientname personname employeename
        customername patientenname =name""",
    ),
    Topic("e-mail addresses", "identifier", "email mail emailaddress courriel correo correoelectronico epost"),
    Topic(
        "telephone numbers",
        "identifier",
        """phone telephone tel mobile cell cellphone fax phonenumber handy mobil telefon* telefono telefoon teléfono
        téléphone portable móvil cellulare puhelin""",
    ),
    Topic(
        "addresses",
        "identifier",
        """address street streetname housenumber adresse anschrift straße* hausnummer rue calle dirección indirizzo
        adres ulica gata adress endereço osoite""",
    ),
    Topic(
        "numbers of an insurance, a tax office or a passport",
        "identifier",
        """ssn socialsecurity socialsecuritynumber nino nhs nhsnumber kvnr svnr svnummer versichertennummer
        versicherungsnummer krankenversicherungsnummer sozialversicherungsnummer rentenversicherungsnummer steuernummer
        steuerid ahv avs nir insee nss dni nie nif cif bsn pesel personnummer cpr fiscalcode codicefiscale taxid
        taxnumber passport passportnumber passnummer reisepass ausweisnummer personalausweis rodnecislo""",
    ),
    Topic("accounts", "identifier", "iban bic account accountnumber konto* kontonummer bankkonto compte cuenta conto"),
    Topic("logins or devices", "identifier", "login username userid ip ipaddress mac macaddress imei deviceid cookie"),
    Topic(
        "numbers of persons",
        "identifier",
        """patient patientid patientnumber patientno patientnr patientennummer patienten* person personid mrn
        medicalrecordnumber member memberid customer customerid client clientid kunde kundennummer mitarbeiter* employee
        employeeid personalnummer matrikelnummer student studentid subject subjectid respondent respondentid
        participant participantid versicherte* user""",
        "many values",
    ),
    Topic(
        "numbers or names",
        "identifier",
        """id uid uuid guid ident identifier key pk number no nr num nummer *nummer número numero name kennung
        aktenzeichen fall fallnummer case caseid record recordid rowid index pseudonym hash""",
        "different values",
    ),
    Topic(
        "age",
        "quasi-identifier",
        "age agep ages agegroup agerange ageband alter altersgruppe edad età leeftijd wiek idade ålder alder věk ikä",
    ),
    Topic(
        "sex",
        "quasi-identifier",
        "sex gender geschlecht sexe sexo sesso genere geslacht płeć kön kjønn køn pohlaví sukupuoli",
    ),
    Topic(
        "dates or years of birth",
        "quasi-identifier",
        """birth dob birthdate birthday birthyear yearofbirth dateofbirth yob geburt geburts* naissance datedenaissance
        nacimiento fechadenacimiento nascita datadinascita geboorte* nascimento urodzenia födelse* fødsels* narozeni""",
    ),
    Topic(
        "where somebody lives or comes from",
        "quasi-identifier",
        """zip zipcode postcode postalcode postal postleitzahl plz codepostal cp codigopostal cap puma city town village
        ort wohnort stadt gemeinde ville commune ciudad municipio comune città gemeente miasto kommun kommune county
        region région state bundesland province provinz kanton canton district bezirk landkreis country land pays país
        paese kraj nationality nationalität nationalité nacionalidad nazionalità staatsangehörigkeit citizenship
        birthplace placeofbirth geburtsort origin place location latitude longitude lat lon lng postnr postnummer psč
        codicepostale kodpocztowy województwo powiat gmina provincia provincie woonplaats plaats cidade município
        concelho obec okres kunta län""",
    ),
    Topic("ethnic origin", "quasi-identifier", "race rac1p ethnicity ethnic ethnie etnia hisp hispanic ancestry"),
    Topic(
        "marital status",
        "quasi-identifier",
        """marital maritalstatus msp familienstand civilstatus étatcivil estadocivil statocivile burgerlijkestaat
        civilstånd""",
    ),
    Topic(
        "education",
        "quasi-identifier",
        """education edu schl school degree bildung bildungsabschluss schulabschluss abschluss diplôme diploma estudios
        educación istruzione opleiding wykształcenie utbildning""",
    ),
    Topic(
        "household and family",
        "quasi-identifier",
        """household children kids dependents dependants familysize relationship haushalt* haushaltsgröße kinder enfants
        hijos figli kinderen npf noc housing""",
    ),
    Topic("language", "quasi-identifier", "language sprache muttersprache langue idioma lingua taal język språk"),
    Topic(
        "dates that others may know",
        "quasi-identifier",
        """admission admissiondate dischargedate admissiontime eventdate visitdate dateofdeath deathdate datum
        aufnahmedatum entlassdatum entlassungsdatum""",
        "many values",
    ),
    Topic(
        "health",
        "sensitive",
        """disease diagnosis diagnoses diag diag1 dx icd icd10 icd9 illness condition hiv disorder diagnose krankheit
        erkrankung diagnostic maladie enfermedad diagnóstico malattia diagnosi ziekte choroba rozpoznanie sjukdom sygdom
        sykdom doença sairaus nemoc cancer symptom symptoms allergy causeofdeath todesursache""",
    ),
    Topic(
        "treatments",
        "sensitive",
        "treatment therapy medication drug procedure surgery behandlung therapie medikament traitement tratamiento",
    ),
    Topic(
        "income or debt",
        "sensitive",
        """income pincp salary wage wages earnings pay debt wealth einkommen gehalt lohn verdienst schulden revenu
        salaire ingreso ingresos sueldo salario reddito stipendio inkomen salaris dochód wynagrodzenie inkomst lön løn
        renda loan""",
    ),
    Topic("convictions", "sensitive", "crime offense offence conviction verdict sentence straftat urteil delito reato"),
    Topic(
        "beliefs or private life",
        "sensitive",
        "religion confession konfession party partei politics political sexuality sexualorientation union gewerkschaft",
    ),
    Topic("results or grades", "sensitive", "grade grades score result testresult befund ergebnis résultat"),
    Topic(
        "occupation",
        "quasi-identifier",
        """occupation occp job jobtitle profession workclass employer industry indp beruf tätigkeit arbeitgeber branche
        métier emploi ocupación profesión professione lavoro beroep zawód yrke erhverv""",
    ),
    Topic("occupation", "sensitive", "occupation occp profession beruf métier ocupación profesión professione beroep"),
)
"""In the order in which they are tried where two say something about the same words."""

_LONGEST_RUN = 4
_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ı": "i"})


def topics_of(name: str) -> Iterator[tuple[Topic, str]]:
    """What a column of this name seems to be about, and the words that say so."""
    words = _words_of(name)
    taken: set[int] = set()
    for length in range(min(len(words), _LONGEST_RUN), 0, -1):
        for start in range(len(words) - length + 1):
            run = range(start, start + length)
            if not taken.isdisjoint(run):
                continue
            if found := _topics("".join(words[start : start + length]), alone=length == len(words)):
                taken.update(run)
                yield from ((topic, " ".join(words[start : start + length])) for topic in found)


def _words_of(name: str) -> list[str]:
    apart = re.sub(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])", " ", name[:200])
    return re.findall(r"[^\W_]+", _plain(apart))


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.lower().translate(_LETTERS))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _topics(word: str, *, alone: bool) -> list[Topic]:
    whole, starts, ends = _lists()
    found = whole.get(f"={word}", []) if alone else []
    if not found:
        found = whole.get(word, [])
    if not found:
        found = next((topics for start, topics in starts.items() if word.startswith(start)), [])
    if not found:
        found = next((topics for end, topics in ends.items() if word.endswith(end)), [])
    return found


@cache
def _lists() -> tuple[dict[str, list[Topic]], dict[str, list[Topic]], dict[str, list[Topic]]]:
    """The topics of whole words, of beginnings and of ends."""
    whole: dict[str, list[Topic]] = {}
    starts: dict[str, list[Topic]] = {}
    ends: dict[str, list[Topic]] = {}
    for topic in TOPICS:
        for word in topic.words.split():
            into = starts if word.endswith("*") else ends if word.startswith("*") else whole
            topics = into.setdefault(_plain(word.strip("*")), [])
            if topic not in topics:  # as âge and age are one word here
                topics.append(topic)
    return whole, starts, ends
