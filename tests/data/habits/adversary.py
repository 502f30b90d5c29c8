"""Files that were written to be misread, and the tables in them; all of them were at first."""

from __future__ import annotations

from tests.data.habits.file import Cell, File, file


def _numbers(name: str, written: str, *meant: Cell, encoding: str = "utf-8") -> File:
    """Cells between bars, one a row beside a letter, and the numbers they say."""
    rows = list(zip("abc", written.split("|"), strict=True))
    text = "k;v\n" + "".join(f"{key};{cell}\n" for key, cell in rows)
    right = ((key, value) for (key, _), value in zip(rows, meant, strict=True))
    return file("numbers", name, text, "k|v", *right, encoding=encoding)


def _days(name: str, written: str, *meant: str | None) -> File:
    """The same of dates, beside numbers."""
    text = "when;x\n" + "".join(f"{cell};{at}.5\n" for at, cell in enumerate(written.split("|")))
    return file("dates", name, text, "when|x", *((day, at + 0.5) for at, day in enumerate(meant)))


MARKERS = (
    "??", "#NV", "#WERT!", "#DIV/0", "#VALEUR!", "keine Angabe", "unbekannt", "<null>", "[NULL]",
    "(blank)", "not available", "Not Available", "n.d.", "undefined",
)  # fmt: skip

MISSING = [
    file("missing", f"marker {marker}",
         f"a,b,c\n1.5,x,1\n{marker},y,2\n2.5,x,3\n3,z,4\n", "a|b|c",
         (1.5, "x", 1), (None, "y", 2), (2.5, "x", 3), (3, "z", 4))
    for marker in MARKERS
]  # fmt: skip

NUMBERS = [
    _numbers("cp1252 no break", '1\xa0234,5|12\xa0000,25|0,75', 1234.5, 12000.25, 0.75,
             encoding="cp1252"),
    _numbers("indian", "1,00,000|12,34,567|750", 100000, 1234567, 750),
    _numbers("per mille", "1,5 ‰|2 ‰|0,5 ‰", 1.5, 2, 0.5),
    _numbers("us accounting", " $1,234.50 | $20.00 | $(3.00)", 1234.5, 20, -3),
    _numbers("us accounting, spread", " $ 1,234.50 | $ 20.00 | $ (3.00)", 1234.5, 20, -3),
    _numbers("euro nbsp cp1252", '1.234,50\xa0€|20,00\xa0€|-3,00\xa0€', 1234.5, 20, -3,
             encoding="cp1252"),
    _numbers("francs dash", "Fr. 1'234.50|Fr. 20.00|Fr. 3.00", 1234.5, 20, 3),
    _numbers("reais", "R$ 1.234,50|R$ 20,00|R$ 3,00", 1234.5, 20, 3),
    _numbers("us dollars", "US$ 1,234.50|US$ 20.00|US$ 3.00", 1234.5, 20, 3),
    _numbers("lira", "₺1.234,50|₺20,00|₺3,00", 1234.5, 20, 3),
    _numbers("hryvnia", "1 234,50 ₴|20,00 ₴|3,00 ₴", 1234.5, 20, 3),
    _numbers("en dash minus", "–1.5|20.25|–3", -1.5, 20.25, -3),
    _numbers("zeros, other lengths", "007|12|0015", "007", "12", "0015"),
    _numbers("excel formula text", "=\"01\"|=\"02\"|=\"13\"", "01", "02", "13"),
]  # fmt: skip

DATES = [
    _days("iso comma seconds",
          "2020-01-31 10:00:00,123|2020-03-05 11:30:00,000|2020-12-24 23:59:00,500",
          "2020-01-31T10:00:00.123000", "2020-03-05T11:30:00", "2020-12-24T23:59:00.500000"),
    _days("de comma time", "31.01.2020, 10:00|05.03.2020, 11:30|24.12.2020, 23:59",
          "2020-01-31T10:00:00", "2020-03-05T11:30:00", "2020-12-24T23:59:00"),
    _days("de uhr", "31.01.2020 10:00 Uhr|05.03.2020 11:30 Uhr|24.12.2020 23:59 Uhr",
          "2020-01-31T10:00:00", "2020-03-05T11:30:00", "2020-12-24T23:59:00"),
    _days("de names", "31. Januar 2020|5. März 2020|24. Dezember 2020", "2020-01-31",
          "2020-03-05", "2020-12-24"),
    _days("de short names", "31. Jan. 2020|5. Mrz. 2020|24. Dez. 2020", "2020-01-31",
          "2020-03-05", "2020-12-24"),
    _days("de short names plain", "31 Okt 2020|5 Mai 2020|24 Dez 2020", "2020-10-31",
          "2020-05-05", "2020-12-24"),
    _days("fr names", "31 janvier 2020|5 mars 2020|24 décembre 2020", "2020-01-31", "2020-03-05",
          "2020-12-24"),
    _days("fr names first", "1er août 2020|5 février 2020|24 juin 2020", "2020-08-01",
          "2020-02-05", "2020-06-24"),
    _days("fr short", "31 janv. 2020|5 févr. 2020|24 déc. 2020", "2020-01-31", "2020-02-05",
          "2020-12-24"),
    _days("es names", "31 de enero de 2020|5 de marzo de 2020|24 de diciembre de 2020",
          "2020-01-31", "2020-03-05", "2020-12-24"),
    _days("it names", "31 gennaio 2020|5 marzo 2020|24 dicembre 2020", "2020-01-31",
          "2020-03-05", "2020-12-24"),
    _days("weekdays de",
          "Freitag, 31. Januar 2020|Donnerstag, 5. März 2020|Donnerstag, 24. Dezember 2020",
          "2020-01-31", "2020-03-05", "2020-12-24"),
    _days("ctime", "Fri Jan 31 10:00:00 2020|Thu Mar  5 11:30:00 2020|Thu Dec 24 23:59:00 2020",
          "2020-01-31T10:00:00", "2020-03-05T11:30:00", "2020-12-24T23:59:00"),
    _days("ctime zone",
          "Fri Jan 31 10:00:00 UTC 2020|Thu Mar  5 11:30:00 UTC 2020|Thu Dec 24 23:59:00 UTC 2020",
          "2020-01-31T10:00:00", "2020-03-05T11:30:00", "2020-12-24T23:59:00"),
    _days("us slashes am pm comma",
          "1/31/2020, 10:00:00 AM|3/5/2020, 11:30:00 AM|12/24/2020, 11:59:00 PM",
          "2020-01-31T10:00:00", "2020-03-05T11:30:00", "2020-12-24T23:59:00"),
    _days("am with points", "1/31/2020 10:00 a.m.|3/5/2020 11:30 a.m.|12/24/2020 11:59 p.m.",
          "2020-01-31T10:00:00", "2020-03-05T11:30:00", "2020-12-24T23:59:00"),
    _days("month names en", "Jan 2020|Mar 2020|Dec 2020", "2020-01-01", "2020-03-01",
          "2020-12-01"),
    _days("month names en long", "January 2020|March 2020|December 2020", "2020-01-01",
          "2020-03-01", "2020-12-01"),
    _days("month names de", "Januar 2020|März 2020|Dezember 2020", "2020-01-01", "2020-03-01",
          "2020-12-01"),
    _days("mm/yyyy", "01/2020|03/2020|12/2020", "2020-01-01", "2020-03-01", "2020-12-01"),
    _days("compact moments", "20200131T100000Z|20200305T113000Z|20201224T235900Z",
          "2020-01-31T10:00:00", "2020-03-05T11:30:00", "2020-12-24T23:59:00"),
    _days("japanese", "2020年1月31日|2020年3月5日|2020年12月24日", "2020-01-31", "2020-03-05",
          "2020-12-24"),
    _days("korean points", "2020. 1. 31.|2020. 3. 5.|2020. 12. 24.", "2020-01-31", "2020-03-05",
          "2020-12-24"),
    _days("hungarian", "2020.01.31.|2020.03.05.|2020.12.24.", "2020-01-31", "2020-03-05",
          "2020-12-24"),
    _days("apache",
          "31/Jan/2020:10:00:00 +0000|05/Mar/2020:11:30:00 +0000|24/Dec/2020:23:59:00 +0000",
          "2020-01-31T10:00:00", "2020-03-05T11:30:00", "2020-12-24T23:59:00"),
    _days("dotted time", "31.01.2020 10.00|05.03.2020 11.30|24.12.2020 23.59",
          "2020-01-31T10:00:00", "2020-03-05T11:30:00", "2020-12-24T23:59:00"),
    _days("midnight 24", "2020-01-31 24:00:00|2020-03-05 12:00:00|2020-12-24 13:00:00",
          "2020-02-01", "2020-03-05T12:00:00", "2020-12-24T13:00:00"),
    _days("fourteen digits", "20200131100000|20200305113000|20201224235900",
          "2020-01-31T10:00:00", "2020-03-05T11:30:00", "2020-12-24T23:59:00"),
    _days("null dates", "2020-01-31|0000-00-00|2020-12-24", "2020-01-31", None, "2020-12-24"),
]  # fmt: skip

OTHERS = [
    file("quotes", "lines quoted as a whole",
         '"a,b,c"\n' '"1,2,x"\n' '"3,4,""y, z"""\n' '"5,6,w"\n',
         "a|b|c", (1, 2, "x"), (3, 4, "y, z"), (5, 6, "w")),
    file("delimiters", "blanks, and a tab before the last",
         '18.0   8   307.0\t"chevrolet chevelle"\n' '15.0   8   350.0\t"buick skylark"\n'
         '25.0   4   ?    \t"ford pinto"\n', "column_1|column_2|column_3|column_4",
         (18, 8, 307, "chevrolet chevelle"), (15, 8, 350, "buick skylark"),
         (25, 4, None, "ford pinto")),
    file("shapes", "one column of moments",
         "t\n" "2020-01-31 10:15:00\n" "2020-02-28 11:30:05\n" "2020-03-31 12:45:10\n",
         "t", ("2020-01-31T10:15:00",), ("2020-02-28T11:30:05",), ("2020-03-31T12:45:10",)),
    file("headers", "counts behind an index without a name",
         ",0,1,2\n" "0,1.5,2,3\n" "1,2.5,3,4\n" "2,3.5,5,6\n",
         "row_name|0|1|2", (0, 1.5, 2, 3), (1, 2.5, 3, 4), (2, 3.5, 5, 6)),
    file("encodings", "a thousandth before units", "t,v\n" "1,5µm\n" "2,7µm\n" "3,9µm\n",
         "t|v", (1, "5µm"), (2, "7µm"), (3, "9µm"), encoding="cp1252"),
    file("databases", "sqlite column",
         "id  name       amount  day       \n" "--  ---------  ------  ----------\n"
         "1   Ann Lee    1.50    2020-01-31\n" "2   Bob        22.25   2020-02-28\n",
         "id|name|amount|day", (1, "Ann Lee", 1.5, "2020-01-31"),
         (2, "Bob", 22.25, "2020-02-28")),
    file("databases", "oracle sqlplus",
         "\n" "ID   NAME        AMOUNT   DAY         \n"
         "---- ----------- -------- ------------\n" "   1 Ann Lee         1.50 2020-01-31  \n"
         "   2 Bob            22.25 2020-02-28  \n" "  13 Cid von X            2020-03-31  \n"
         "\n" "3 rows selected.\n" "\n",
         "ID|NAME|AMOUNT|DAY", (1, "Ann Lee", 1.5, "2020-01-31"),
         (2, "Bob", 22.25, "2020-02-28"), (13, "Cid von X", None, "2020-03-31")),
    file("databases", "oracle quoted spool",
         "\"ID\",\"NAME\",\"DAY\"\n" "1,\"Ann\",\"31-JAN-20 10.15.30.000000000 AM\"\n"
         "2,\"Bob\",\"28-FEB-20 11.15.30.000000000 PM\"\n"
         "3,\"Cid\",\"31-MAR-20 01.00.00.000000000 AM\"\n",
         "ID|NAME|DAY", (1, "Ann", "2020-01-31T10:15:30"), (2, "Bob", "2020-02-28T23:15:30"),
         (3, "Cid", "2020-03-31T01:00:00")),
    file("databases", "sqlcmd",
         "id   name        amount   day         \n" "---- ----------- -------- ------------\n"
         "1    Ann Lee     1.50     2020-01-31  \n" "2    Bob         22.25    2020-02-28  \n"
         "13   Cid von X   NULL     2020-03-31  \n" "\n" "(3 rows affected)\n",
         "id|name|amount|day", (1, "Ann Lee", 1.5, "2020-01-31"),
         (2, "Bob", 22.25, "2020-02-28"), (13, "Cid von X", None, "2020-03-31")),
    file("databases", "sqlcmd comma",
         "id,name,amount,day\n" "--,---------,------,----------\n" "1,Ann Lee,1.50,2020-01-31\n"
         "2,Bob,22.25,2020-02-28\n" "13,Cid von X,NULL,2020-03-31\n" "\n" "(3 rows affected)\n",
         "id|name|amount|day", (1, "Ann Lee", 1.5, "2020-01-31"),
         (2, "Bob", 22.25, "2020-02-28"), (13, "Cid von X", None, "2020-03-31")),
    file("databases", "sqlcmd tabs",
         "id\tname\tamount\tday\n" "--\t---------\t------\t----------\n"
         "1\tAnn Lee\t1.50\t2020-01-31\n" "2\tBob\t22.25\t2020-02-28\n"
         "13\tCid von X\tNULL\t2020-03-31\n",
         "id|name|amount|day", (1, "Ann Lee", 1.5, "2020-01-31"),
         (2, "Bob", 22.25, "2020-02-28"), (13, "Cid von X", None, "2020-03-31")),
    file("databases", "sqlcmd semicolons",
         "id;name;amount;day\n" "--;---------;------;----------\n" "1;Ann Lee;1.50;2020-01-31\n"
         "2;Bob;22.25;2020-02-28\n" "13;Cid von X;NULL;2020-03-31\n",
         "id|name|amount|day", (1, "Ann Lee", 1.5, "2020-01-31"),
         (2, "Bob", 22.25, "2020-02-28"), (13, "Cid von X", None, "2020-03-31")),
    file("databases", "box drawing",
         "┌────┬───────────┬────────┬────────────┐\n"
         "│ id │ name      │ amount │ day        │\n"
         "├────┼───────────┼────────┼────────────┤\n"
         "│ 1  │ Ann Lee   │ 1.50   │ 2020-01-31 │\n"
         "│ 2  │ Bob       │ 22.25  │ 2020-02-28 │\n"
         "│ 13 │ Cid von X │        │ 2020-03-31 │\n"
         "└────┴───────────┴────────┴────────────┘\n",
         "id|name|amount|day", (1, "Ann Lee", 1.5, "2020-01-31"),
         (2, "Bob", 22.25, "2020-02-28"), (13, "Cid von X", None, "2020-03-31")),
    file("databases", "timestamps tz",
         "at,x\n" "2020-01-02 03:04:05.123456+00,1\n" "2020-01-02 03:04:05+00,2\n"
         "2020-01-02 03:04:06.5+02,3\n",
         "at|x", ("2020-01-02T03:04:05.123456", 1), ("2020-01-02T03:04:05", 2),
         ("2020-01-02T01:04:06.500000", 3)),
    file("instruments", "fortran exponents",
         "x,y\n" "1.5D+03,1\n" "2.25D-02,2\n" "-4.0D+01,3\n",
         "x|y", (1500, 1), (0.0225, 2), (-40, 3)),
    file("instruments", "logger clock",
         "Date,Time,mV\n" "2020-01-02,10:00:00,1.5\n" "2020-01-02,10:00:01,1.75\n"
         "2020-01-02,10:00:02,2\n",
         "Date|Time|mV", ("2020-01-02", 10, 1.5), ("2020-01-02", 36001 / 3600, 1.75),
         ("2020-01-02", 36002 / 3600, 2)),
    file("instruments", "degrees behind numbers",
         "t,temp\n" "1,20.5 °C\n" "2,21 °C\n" "3,19.5 °C\n",
         "t|temp", (1, 20.5), (2, 21), (3, 19.5)),
    file("statistics", "SAS datetime",
         "at,x\n" "01JAN2020:10:11:12,1\n" "13FEB2020:23:00:00,2\n",
         "at|x", ("2020-01-01T10:11:12", 1), ("2020-02-13T23:00:00", 2)),
    file("statistics", "stata missings",
         "a,b,c\n" "1.5,.a,x\n" ".z,2,y\n" "3,4,z\n" "2,2,x\n",
         "a|b|c", (1.5, None, "x"), (None, 2, "y"), (3, 4, "z"), (2, 2, "x")),
    file("statistics", "colon holes",
         "geo,a,b\n" "DE,1.5,2.5\n" "FR,:,2.0\n" "IT,1.0,:\n" "ES,1,2\n",
         "geo|a|b", ("DE", 1.5, 2.5), ("FR", None, 2), ("IT", 1, None), ("ES", 1, 2)),
    file("headers", "numbers as names",
         "id,0,1,2\n" "a,1.5,2,3\n" "b,2.5,3,4\n" "c,3.5,4,5\n",
         "id|0|1|2", ("a", 1.5, 2, 3), ("b", 2.5, 3, 4), ("c", 3.5, 4, 5)),
    file("headers", "dates as names",
         "country,1/22/20,1/23/20,1/24/20\n" "A,0,1,2\n" "B,1,3,5\n" "C,2,4,9\n",
         "country|1/22/20|1/23/20|1/24/20", ("A", 0, 1, 2), ("B", 1, 3, 5), ("C", 2, 4, 9)),
    file("headers", "iso dates as names",
         "country,2020-01-22,2020-01-23,2020-01-24\n" "A,0,1,2\n" "B,1,3,5\n" "C,2,4,9\n",
         "country|2020-01-22|2020-01-23|2020-01-24", ("A", 0, 1, 2), ("B", 1, 3, 5),
         ("C", 2, 4, 9)),
    file("headers", "more names than cells",
         "a,b,c,d\n" "1,2,x\n" "3,4,y\n" "5,6,z\n",
         "a|b|c", (1, 2, "x"), (3, 4, "y"), (5, 6, "z")),
    file("delimiters", "caret",
         "a^b^c\n" "1^2^x\n" "3^4^y\n" "5^6^z\n",
         "a|b|c", (1, 2, "x"), (3, 4, "y"), (5, 6, "z")),
    file("delimiters", "tilde",
         "a~b~c\n" "1~2~x\n" "3~4~y\n" "5~6~z\n",
         "a|b|c", (1, 2, "x"), (3, 4, "y"), (5, 6, "z")),
    file("delimiters", "passwd",
         "root:x:0:0:root:/root:/bin/bash\n" "daemon:x:1:1:daemon:/usr/sbin:/bin/sh\n"
         "bin:x:2:2:bin:/bin:/bin/sh\n",
         "column_1|column_2|column_3|column_4|column_5|column_6|column_7",
         ("root", "x", 0, 0, "root", "/root", "/bin/bash"),
         ("daemon", "x", 1, 1, "daemon", "/usr/sbin", "/bin/sh"),
         ("bin", "x", 2, 2, "bin", "/bin", "/bin/sh")),
    file("delimiters", "unit separator",
         'a\x1fb\n' '1\x1fx\n' '2\x1fy\n' '3\x1fx\n',
         "a|b", (1, "x"), (2, "y"), (3, "x")),
    file("delimiters", "control a (hive)",
         '1\x01x\x01a\n' '2\x01y\x01b\n' '3\x01x\x01c\n',
         "column_1|column_2|column_3", (1, "x", "a"), (2, "y", "b"), (3, "x", "c")),
    file("delimiters", "fixed width with blanks in cells",
         "name          city          n\n" "Ann Lee       New York      1\n"
         "Bob           Rome         22\n" "Cid von X     Oslo        333\n",
         "name|city|n", ("Ann Lee", "New York", 1), ("Bob", "Rome", 22),
         ("Cid von X", "Oslo", 333)),
    file("delimiters", "fixed width with holes",
         "name      n     x\n" "Ann       1   2.5\n" "Bob           3.5\n" "Cid       3      \n"
         "Dan       4   1.5\n",
         "name|n|x", ("Ann", 1, 2.5), ("Bob", None, 3.5), ("Cid", 3, None), ("Dan", 4, 1.5)),
    file("encodings", "greek cp1253",
         "πόλη;ν\n" "Αθήνα;1,5\n" "Πάτρα;2,5\n" "Βόλος;3\n",
         "πόλη|ν", ("Αθήνα", 1.5), ("Πάτρα", 2.5), ("Βόλος", 3), encoding="cp1253"),
    file("encodings", "turkish cp1254",
         "şehir;değer\n" "İstanbul;1,5\n" "Iğdır;2,5\n" "Eskişehir;3\n",
         "şehir|değer", ("İstanbul", 1.5), ("Iğdır", 2.5), ("Eskişehir", 3), encoding="cp1254"),
    file("encodings", "hebrew cp1255",
         "עיר;ערך\n" "ירושלים;1,5\n" "חיפה;2,5\n" "אילת;3\n",
         "עיר|ערך", ("ירושלים", 1.5), ("חיפה", 2.5), ("אילת", 3), encoding="cp1255"),
    file("encodings", "arabic cp1256",
         "مدينة;قيمة\n" "القاهرة;1,5\n" "دمشق;2,5\n" "بغداد;3\n",
         "مدينة|قيمة", ("القاهرة", 1.5), ("دمشق", 2.5), ("بغداد", 3), encoding="cp1256"),
    file("encodings", "latin-9 euro",
         "was;preis\n" "Brot;1,50 €\n" "Käse;2,25 €\n" "Müsli;3,00 €\n",
         "was|preis", ("Brot", 1.5), ("Käse", 2.25), ("Müsli", 3), encoding="iso-8859-15"),
    file("line ends", "vertical tab in cell",
         "a,b\n" "1,x\u000by\n" "2,z\n",
         "a|b", (1, "x\u000by"), (2, "z")),
    file("around", "comments at the end",
         "a,b\n" "1,2\n" "3,4\n" "5,6\n" "# end\n" "# of file\n",
         "a|b", (1, 2), (3, 4), (5, 6)),
]  # fmt: skip

FILES = [*MISSING, *NUMBERS, *DATES, *OTHERS]
