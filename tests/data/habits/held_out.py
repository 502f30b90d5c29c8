"""Files of the same habits that were written before the reading was mended, and not looked at."""

from __future__ import annotations

from tests.data.habits.file import file

DELIMITERS = [
    file("delimiters", "tabs, with blanks in cells",
         "Gene name\tFold change\tComment\nAbc1 b\t1.25\tup, strong\nXyz 2\t-0.5\tdown\n"
         "Qrs\t3\tup\n",
         "Gene name|Fold change|Comment", ("Abc1 b", 1.25, "up, strong"), ("Xyz 2", -0.5, "down"),
         ("Qrs", 3, "up")),
    file("delimiters", "bars with blanks around",
         "id | kind | n\n7 | old house | 3\n8 | barn | 1\n9 | new house | 12\n", "id|kind|n",
         (7, "old house", 3), (8, "barn", 1), (9, "new house", 12)),
    file("delimiters", "decimal commas and few columns",
         "x;y\n0,5;1,25\n0,75;2,5\n1,5;3,125\n", "x|y", (0.5, 1.25), (0.75, 2.5), (1.5, 3.125)),
    file("delimiters", "numbers in even columns",
         "   1.50   20.0  -3.25\n  12.25    3.5   0.50\n   7.00  110.0  44.00\n",
         "column_1|column_2|column_3", (1.5, 20, -3.25), (12.25, 3.5, 0.5), (7, 110, 44)),
    file("delimiters", "addresses with commas",
         'who,where,age\n"Lee, Ann","5 High St, Leeds",41\n"Roe, Bob","1 Low Rd, York",37\n',
         "who|where|age", ("Lee, Ann", "5 High St, Leeds", 41), ("Roe, Bob", "1 Low Rd, York", 37)),
]  # fmt: skip

QUOTES = [
    file("quotes", "marks and breaks in one cell",
         'k;text\n1;"He said ""a;b""\nand left"\n2;"; ;"\n3;end\n', "k|text",
         (1, 'He said "a;b"\nand left'), (2, "; ;"), (3, "end")),
    file("quotes", "backslash before a quote, quoted names",
         '"id","said"\n"1","5\\" pipe, long"\n"2","none"\n', "id|said",
         (1, '5" pipe, long'), (2, "none")),
    file("quotes", "a quote inside a word", 'a,b\n1,the "big" one\n2,x\n3,"y, z"\n', "a|b",
         (1, 'the "big" one'), (2, "x"), (3, "y, z")),
    file("quotes", "texts quoted, numbers not", '"n","s"\n1.5,"a,b"\n2,"c"\n-3,"d"\n', "n|s",
         (1.5, "a,b"), (2, "c"), (-3, "d")),
]  # fmt: skip

LINE_ENDS = [
    file("line ends", "old returns and quoted breaks", 'a,b\r1,"x\ry"\r2,z\r', "a|b",
         (1, "x\ny"), (2, "z")),
    file("line ends", "no end on the last line", "a;b\r\n1;x\r\n2;y", "a|b", (1, "x"), (2, "y")),
    file("line ends", "blank lines at both ends", "\n\na,b\n1,x\n2,y\n\n\n", "a|b", (1, "x"),
         (2, "y")),
]  # fmt: skip

FRENCH = "ville,été,élève\nNîmes,28.5,Zoé\nBesançon,24,Chloé\nSète,27.25,Noël\nÉvian,22,Anaïs\n"
TOWNS = (("Nîmes", 28.5, "Zoé"), ("Besançon", 24, "Chloé"), ("Sète", 27.25, "Noël"),
         ("Évian", 22, "Anaïs"))  # fmt: skip

ENCODINGS = [
    *(
        file("encodings", f"French, {name}", FRENCH, "ville|été|élève", *TOWNS, encoding=name)
        for name in ("utf-16", "cp1252", "mac-roman")
    ),
    file("encodings", "one accent, cp1252",
         "name,n\nAnn,1\nJosé,2\nBob,3\n", "name|n", ("Ann", 1), ("José", 2), ("Bob", 3),
         encoding="cp1252"),
    file("encodings", "signs of Windows",
         "item;price\n“Large” table;5 €\nChair – small;3 €\nLamp…;2 €\n", "item|price",
         ("“Large” table", 5), ("Chair – small", 3), ("Lamp…", 2), encoding="cp1252"),
    file("encodings", "Ukrainian, cp1251",
         "місто,область,населення\nКиїв,Київська,2952\nЛьвів,Львівська,717\nОдеса,Одеська,1010\n",
         "місто|область|населення", ("Київ", "Київська", 2952), ("Львів", "Львівська", 717),
         ("Одеса", "Одеська", 1010), encoding="cp1251"),
    file("encodings", "Czech, cp1250",
         "město;kraj;počet\nPlzeň;Plzeňský;175\nTřebíč;Vysočina;35\nŽďár;Vysočina;21\n",
         "město|kraj|počet", ("Plzeň", "Plzeňský", 175), ("Třebíč", "Vysočina", 35),
         ("Žďár", "Vysočina", 21), encoding="cp1250"),
    file("encodings", "Chinese, gb18030",
         "城市,人口\n北京,21540\n上海,24280\n广州,15300\n深圳,13440\n", "城市|人口",
         ("北京", 21540), ("上海", 24280), ("广州", 15300), ("深圳", 13440), encoding="gb18030"),
]  # fmt: skip

AROUND = [
    file("around", "export of an instrument",
         "Spectrometer Mk 4\nSerial;0012\nDate;03.05.2021\n\nWavelength;Absorbance;Flag\n"
         "400;0,125;ok\n"
         "410;0,25;ok\n420;0,5;low\n430;0,75;ok\n", "Wavelength|Absorbance|Flag",
         (400, 0.125, "ok"), (410, 0.25, "ok"), (420, 0.5, "low"), (430, 0.75, "ok")),
    file("around", "title with commas",
         "Rainfall, all stations, in mm\n\nstation,jan,feb,mar\nA,10,20,35\nB,15,5,2\nC,1,8,9\n",
         "station|jan|feb|mar", ("A", 10, 20, 35), ("B", 15, 5, 2), ("C", 1, 8, 9)),
    file("around", "several notes below",
         "country,gdp,pop\nA,1.5,20\nB,2.5,30\nC,3.5,1\n\nData from: World office\n"
         "Last updated: 03/05/2021\n", "country|gdp|pop", ("A", 1.5, 20), ("B", 2.5, 30),
         ("C", 3.5, 1)),
    file("around", "marks only, at the end", "a,b,c\n1,2,x\n3,4,y\n5,7,x\n,,\n,,\n", "a|b|c",
         (1, 2, "x"), (3, 4, "y"), (5, 7, "x")),
    file("around", "comments with names in the last",
         "# logger 3\n# t\tp\tstate\n0\t1.5\ton\n1\t2.5\toff\n2\t1.5\ton\n", "t|p|state",
         (0, 1.5, "on"), (1, 2.5, "off"), (2, 1.5, "on")),
]  # fmt: skip

HEADERS = [
    file("headers", "units in brackets below",
         "depth\ttemp\tsalinity\n(m)\t(degC)\t(g/kg)\n0\t15.5\t35\n10\t14.25\t35.25\n20\t9\t36\n",
         "depth (m)|temp (degC)|salinity (g/kg)", (0, 15.5, 35), (10, 14.25, 35.25), (20, 9, 36)),
    file("headers", "groups above, with names of rows",
         ";men;;women;\ncountry;yes;no;yes;no\nA;10;5;8;7\nB;1;2;3;4\nC;5;5;6;5\n",
         "country|men yes|men no|women yes|women no", ("A", 10, 5, 8, 7), ("B", 1, 2, 3, 4),
         ("C", 5, 5, 6, 5)),
    file("headers", "none, words and numbers", "ann;12;Rome\nbob;15;Oslo\ncid;11;Rome\n",
         "column_1|column_2|column_3", ("ann", 12, "Rome"), ("bob", 15, "Oslo"),
         ("cid", 11, "Rome")),
    file("headers", "an index without a name", ",x,y\n0,1.5,a\n1,2.5,b\n2,3,a\n", "row_name|x|y",
         (0, 1.5, "a"), (1, 2.5, "b"), (2, 3, "a")),
    file("headers", "names with line breaks and blanks", '" a ","b\nc"\n1,x\n2,y\n3,x\n', "a|b c",
         (1, "x"), (2, "y"), (3, "x")),
    file("headers", "only words, many rows",
         "animal,home\ncat,house\ndog,house\nfox,wood\nowl,wood\neel,river\n", "animal|home",
         ("cat", "house"), ("dog", "house"), ("fox", "wood"), ("owl", "wood"), ("eel", "river")),
]  # fmt: skip

RAGGED = [
    file("ragged", "text with a mark too many",
         "id,text,n\n1,one,5\n2,two,6\n3,three, and more,7\n4,four,8\n5,five,9\n", "id|text|n",
         (1, "one", "5"), (2, "two", "6"), (3, "three", "and more"), (4, "four", "8"),
         (5, "five", "9")),
    file("ragged", "short rows of a long table",
         "a;b;c;d\n" + "1;2;3;x\n" * 5 + "4;5\n" + "6;7;8;y\n" * 5, "a|b|c|d",
         *[(1, 2, 3, "x")] * 5, (4, 5, None, None), *[(6, 7, 8, "y")] * 5),
    file("ragged", "longer rows than names",
         "a,b\n1,2,x\n3,4,y\n5,7,x\n", "row_name|a|b", (1, 2, "x"), (3, 4, "y"), (5, 7, "x")),
]  # fmt: skip

NUMBERS = [
    file("numbers", "Swiss money", "what;CHF\na;1'250.50\nb;20.00\nc;3'000'000.00\n", "what|CHF",
         ("a", 1250.5), ("b", 20), ("c", 3000000)),
    file("numbers", "German money", "what;sum\na;1.250,50 €\nb;20,00 €\nc;-3.000,00 €\n",
         "what|sum", ("a", 1250.5), ("b", 20), ("c", -3000)),
    file("numbers", "French groups", "quoi;n\na;12 500\nb;1 250 000\nc;75\n", "quoi|n",
         ("a", 12500), ("b", 1250000), ("c", 75)),
    file("numbers", "money before", "n,x\na,USD 5.50\nb,USD 12.25\nc,USD 7\n", "n|x", ("a", 5.5),
         ("b", 12.25), ("c", 7)),
    file("numbers", "percent with comma", "n;p\na;12,5 %\nb;7 %\nc;0,25 %\n", "n|p", ("a", 12.5),
         ("b", 7), ("c", 0.25)),
    file("numbers", "plus signs and points", "n,x\na,+1.5\nb,-.25\nc,3.\n", "n|x", ("a", 1.5),
         ("b", -0.25), ("c", 3)),
    file("numbers", "losses in brackets with money", 'n,x\na,"$1,250"\nb,"($1,500)"\nc,$20\n',
         "n|x", ("a", 1250), ("b", -1500), ("c", 20)),
    file("numbers", "telephones are words", "who,call,x\na,0049 30 123,1.5\nb,0049 40 77,2\n",
         "who|call|x", ("a", "0049 30 123", 1.5), ("b", "0049 40 77", 2)),
]  # fmt: skip


def _days(*written: str) -> str:
    values = ("1,5", "2", "4,5")
    rows = (f"{day};{value}" for day, value in zip(written, values, strict=True))
    return "on;x\n" + "\n".join(rows) + "\n"


DAYS = (("2019-01-05", 1.5), ("2019-10-25", 2), ("2020-02-29", 4.5))

DATES = [
    file("dates", "strokes, day first", _days("5-1-2019", "25-10-2019", "29-2-2020"), "on|x",
         *DAYS),
    file("dates", "long names of months",
         _days("5 January 2019", "25 October 2019", "29 February 2020"), "on|x", *DAYS),
    file("dates", "short names, two digits", _days("05-JAN-19", "25-OCT-19", "29-FEB-20"), "on|x",
         *DAYS),
    file("dates", "times behind",
         _days("05.01.2019 10:30", "25.10.2019 00:00", "29.02.2020 23:59:59"),
         "on|x", ("2019-01-05T10:30:00", 1.5), ("2019-10-25", 2), ("2020-02-29T23:59:59", 4.5)),
    file("dates", "holes among dates", _days("2019-01-05", "NA", "2020-02-29"), "on|x",
         ("2019-01-05", 1.5), (None, 2), ("2020-02-29", 4.5)),
    file("dates", "named UTC",
         _days("2019-01-05 10:30:00 UTC", "2019-10-25 00:00:00 UTC", "2020-02-29 01:00:00 UTC"),
         "on|x", ("2019-01-05T10:30:00", 1.5), ("2019-10-25", 2), ("2020-02-29T01:00:00", 4.5)),
]  # fmt: skip

MARKERS = ("#VALUE!", "..", "none", "na", "#REF!", "N.A.", "---", "nil", "1.#QNAN", "NaT")

MISSING = [
    file("missing", f"marker {marker}",
         f"kind;size;n\na;1,5;4\nb;{marker};5\nc;{marker};6\nd;2,5;7\ne;4,25;9\n", "kind|size|n",
         ("a", 1.5, 4), ("b", None, 5), ("c", None, 6), ("d", 2.5, 7), ("e", 4.25, 9))
    for marker in MARKERS
] + [
    file("missing", "two markers in one column", "a,b\n1.5,x\nNA,y\n?,x\n-,y\n2.5,x\n", "a|b",
         (1.5, "x"), (None, "y"), (None, "x"), (None, "y"), (2.5, "x")),
    file("missing", "words that are answers stay", "who,answer\na,none\nb,some\nc,none\nd,all\n",
         "who|answer", ("a", "none"), ("b", "some"), ("c", "none"), ("d", "all")),
]  # fmt: skip

SHAPES = [
    file("shapes", "one column of sentences",
         "said\nFirst one, then two, then three.\nNo, not at all.\nYes, and no, and perhaps.\n",
         "said", ("First one, then two, then three.",), ("No, not at all.",),
         ("Yes, and no, and perhaps.",)),
    file("shapes", "one column of dates", "day\n2020-01-31\n2020-02-28\n", "day", ("2020-01-31",),
         ("2020-02-28",)),
    file("shapes", "wide, tabs", "\t".join(f"g{i}" for i in range(1200)) + "\n"
         + "\n".join("\t".join(f"{i + j}.25" for i in range(1200)) for j in range(3)) + "\n",
         "|".join(f"g{i}" for i in range(1200)),
         *(tuple(i + j + 0.25 for i in range(1200)) for j in range(3))),
    file("shapes", "long, a word far below",
         "a;b\n" + "".join(f"{i};{i % 5},5\n" for i in range(2500)) + "2500;n/a\n", "a|b",
         *((i, i % 5 + 0.5) for i in range(2500)), (2500, None)),
    file("shapes", "one row of words", "name,city\nAnn,Rome\n", "name|city", ("Ann", "Rome")),
]  # fmt: skip

FILES = [*DELIMITERS, *QUOTES, *LINE_ENDS, *ENCODINGS, *AROUND, *HEADERS, *RAGGED, *NUMBERS, *DATES,
         *MISSING, *SHAPES]  # fmt: skip
