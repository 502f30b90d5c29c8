"""The files by which the reading was mended."""

from __future__ import annotations

from tests.data.habits.file import file

AB = ((1, "x"), (2, "y"), (3, "x"))


def _plain(mark: str) -> str:
    rows = ("id height city", "1 1.5 Rome", "2 2.25 Oslo", "3 4 Bern", "")
    return "\n".join(rows).replace(" ", mark)


PLACES = ((1, 1.5, "Rome"), (2, 2.25, "Oslo"), (3, 4, "Bern"))

DELIMITERS = [
    *(
        file("delimiters", f"plain {mark!r}", _plain(mark), "id|height|city", *PLACES)
        for mark in ",;\t|"
    ),
    file("delimiters", "single blanks", _plain(" "), "id|height|city", *PLACES),
    file("delimiters", "columns of even width",
         "station   temp  rain\nNorth      1.5    20\nSouthwest 12.25     3\n"
         "East       7.0   110\n",
         "station|temp|rain", ("North", 1.5, 20), ("Southwest", 12.25, 3), ("East", 7, 110)),
    file("delimiters", "commas in texts between semicolons",
         "name;note;n\nAnn;red, green, blue;1\nBob;one, two;2\nCid;a, b, c, d;3\n",
         "name|note|n", ("Ann", "red, green, blue", 1), ("Bob", "one, two", 2),
         ("Cid", "a, b, c, d", 3)),
    file("delimiters", "times and dates hold other marks",
         "start|end|who\n2020-01-02 10:00|2020-01-02 11:30|a;b\n"
         "2020-02-03 09:15|2020-02-03 10:00|c;d\n",
         "start|end|who", ("2020-01-02T10:00:00", "2020-01-02T11:30:00", "a;b"),
         ("2020-02-03T09:15:00", "2020-02-03T10:00:00", "c;d")),
    file("delimiters", "table of a text page",
         "| name | n | share |\n|------|---|-------|\n| a    | 1 | 0.5   |\n"
         "| b    | 2 | 0.25  |\n| c    | 7 | 0.25  |\n",
         "name|n|share", ("a", 1, 0.5), ("b", 2, 0.25), ("c", 7, 0.25)),
]  # fmt: skip

QUOTES = [
    file("quotes", "doubled", 'a,b\n1,"say ""hi"", he said"\n2,"x"\n3,"y, z"\n', "a|b",
         (1, 'say "hi", he said'), (2, "x"), (3, "y, z")),
    file("quotes", "escaped by a backslash",
         'a,b\n1,"say \\"hi\\", he said"\n2,"plain, text"\n3,"\\"quoted\\""\n', "a|b",
         (1, 'say "hi", he said'), (2, "plain, text"), (3, '"quoted"')),
    file("quotes", "everything quoted", '"a";"b"\n"1";"x"\n"2";"y"\n"3";"x"\n', "a|b", *AB),
    file("quotes", "line break in a cell", 'a,b\n1,"two\nlines"\n2,one\n3,"and\n\nthree"\n', "a|b",
         (1, "two\nlines"), (2, "one"), (3, "and\n\nthree")),
    file("quotes", "inches without quoting", 'item,size\npipe,5"\nrod,3"\nbolt,2"\n', "item|size",
         ("pipe", '5"'), ("rod", '3"'), ("bolt", '2"')),
    file("quotes", "apostrophes in words", "a,b\n1,it's\n2,don't\n3,o'clock\n", "a|b",
         (1, "it's"), (2, "don't"), (3, "o'clock")),
    file("quotes", "single quotes", "a,b\n1,'x, y'\n2,'z'\n3,'it''s'\n", "a|b",
         (1, "x, y"), (2, "z"), (3, "it's")),
]  # fmt: skip

LINE_ENDS = [
    *(
        file("line ends", f"{end!r}", f"a,b{end}1,x{end}2,y{end}3,x{end}", "a|b", *AB)
        for end in ("\n", "\r\n", "\r", "\n\n")
    ),
    file("line ends", "three kinds mixed", "a,b\r\n1,x\n2,y\r3,x", "a|b", *AB),
    file("line ends", "returns doubled", "a,b\r\r\n1,x\r\r\n2,y\r\r\n3,x\r\r\n", "a|b", *AB),
    file("line ends", "line break inside, others outside",
         'a,b\r\n1,"x\ny"\r\n2,z\r\n', "a|b", (1, "x\ny"), (2, "z")),
    file("line ends", "end of file mark", "a,b\r\n1,x\r\n2,y\r\n3,x\r\n\x1a", "a|b", *AB),
]  # fmt: skip

GERMAN = "Straße;Größe;Käufer\nÄußere Allee;1,5;Jörg\nBäckerweg;2,25;Zoë\nHöhe;4;Frauke\n"
STREETS = (("Äußere Allee", 1.5, "Jörg"), ("Bäckerweg", 2.25, "Zoë"), ("Höhe", 4, "Frauke"))
RUSSIAN = "город,население,область\nМосква,12655,Центр\nКазань,1257,Поволжье\nОмск,1139,Сибирь\n"
CITIES = (("Москва", 12655, "Центр"), ("Казань", 1257, "Поволжье"), ("Омск", 1139, "Сибирь"))

ENCODINGS = [
    *(
        file("encodings", f"German, {name}", GERMAN, "Straße|Größe|Käufer", *STREETS, encoding=name)
        for name in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1",
                     "mac-roman", "cp850")
    ),
    *(
        file("encodings", f"Russian, {name}", RUSSIAN, "город|население|область", *CITIES,
             encoding=name)
        for name in ("cp1251", "koi8-r", "utf-16")
    ),
    file("encodings", "Polish, cp1250",
         "miasto;ludność;opis\nŁódź;680;duże\nGdańsk;470;piękne\nŚwidnica;57;małe\n"
         "Rzeszów;196;średnie\n",
         "miasto|ludność|opis", ("Łódź", 680, "duże"), ("Gdańsk", 470, "piękne"),
         ("Świdnica", 57, "małe"), ("Rzeszów", 196, "średnie"), encoding="cp1250"),
    file("encodings", "Japanese, shift_jis",
         "都市,人口\n東京,13960\n大阪,8839\n名古屋,2320\n", "都市|人口",
         ("東京", 13960), ("大阪", 8839), ("名古屋", 2320), encoding="shift_jis"),
]  # fmt: skip

AROUND = [
    file("around", "title and blank line",
         "Measurements of station 7\nprinted on Monday\n\nday,temp,rain\n1,2.5,0\n2,3.5,1\n"
         "3,1.5,4\n",
         "day|temp|rain", (1, 2.5, 0), (2, 3.5, 1), (3, 1.5, 4)),
    file("around", "names and values above the table",
         "Instrument:,XR-20\nOperator:,Lee\nRate:,5 Hz\n\nt,u,i\n0,1.5,2\n0.2,1.75,3\n"
         "0.4,2,5\n0.6,2.25,4\n",
         "t|u|i", (0, 1.5, 2), (0.2, 1.75, 3), (0.4, 2, 5), (0.6, 2.25, 4)),
    file("around", "title padded as sheets are",
         "Sales of May;;;\n;;;\nregion;units;price;sum\nN;1;2,5;2,5\nS;2;3,5;7\nE;4;1,5;6\n",
         "region|units|price|sum", ("N", 1, 2.5, 2.5), ("S", 2, 3.5, 7), ("E", 4, 1.5, 6)),
    file("around", "source below the table",
         "city,year,n\nRome,2019,5\nOslo,2020,7\nBern,2021,6\n\nSource: own count\n",
         "city|year|n", ("Rome", 2019, 5), ("Oslo", 2020, 7), ("Bern", 2021, 6)),
    file("around", "notes below, padded",
         "city;n;m\nRome;5;1\nOslo;7;2\nBern;6;1\n;;\n* estimated;;\n",
         "city|n|m", ("Rome", 5, 1), ("Oslo", 7, 2), ("Bern", 6, 1)),
    file("around", "count of rows below, as databases print it",
         "id|name|n\n1|a|5\n2|b|7\n3|c|6\n(3 rows)\n", "id|name|n",
         (1, "a", 5), (2, "b", 7), (3, "c", 6)),
    file("around", "comments", "# made by a logger\n# 2 channels\nt,a,b\n0,1.5,2\n1,2.5,3\n"
    "# pause\n2,1.5,7\n",
         "t|a|b", (0, 1.5, 2), (1, 2.5, 3), (2, 1.5, 7)),
    file("around", "delimiter named", "sep=;\na;b\n1;x\n2;y\n3;x\n", "a|b", *AB),
    file("around", "comments with another mark", "! run 5\n! cold\nt a\n0 1.5\n1 2.5\n2 1.5\n",
         "t|a", (0, 1.5), (1, 2.5), (2, 1.5)),
]  # fmt: skip

HEADERS = [
    file("headers", "none", "1,2.5,x\n2,3.5,y\n3,1.5,x\n", "column_1|column_2|column_3",
         (1, 2.5, "x"), (2, 3.5, "y"), (3, 1.5, "x")),
    file("headers", "row names", "height,weight\nann,1.5,60\nbob,1.75,70\ncid,1.8,80\n",
         "row_name|height|weight", ("ann", 1.5, 60), ("bob", 1.75, 70), ("cid", 1.8, 80)),
    file("headers", "units below", "time,speed,force\ns,m/s,N\n0,1.5,3\n1,2.5,4\n2,3.5,6\n",
         "time s|speed m/s|force N", (0, 1.5, 3), (1, 2.5, 4), (2, 3.5, 6)),
    file("headers", "groups above, once each",
         ",2019,,2020,\nregion,q1,q2,q1,q2\nN,1.5,2,3,4\nS,2.5,3,5,6\nE,1.5,1,2,9\n",
         "region|2019 q1|2019 q2|2020 q1|2020 q2", ("N", 1.5, 2, 3, 4), ("S", 2.5, 3, 5, 6),
         ("E", 1.5, 1, 2, 9)),
    file("headers", "groups above, repeated",
         "site,water,water,air\nsite,temp,depth,temp\nA,1.5,2,3\nB,2.5,3,5\nC,4.5,6,1\n",
         "site|water temp|water depth|air temp", ("A", 1.5, 2, 3), ("B", 2.5, 3, 5),
         ("C", 4.5, 6, 1)),
    file("headers", "duplicate names", "a,a,b\n1,2,x\n2,3,y\n3,5,x\n", "a|a_2|b",
         (1, 2, "x"), (2, 3, "y"), (3, 5, "x")),
    file("headers", "only words", "name,city\nAnn,Rome\nBob,Oslo\nCid,Rome\n", "name|city",
         ("Ann", "Rome"), ("Bob", "Oslo"), ("Cid", "Rome")),
    file("headers", "years", "country,2019,2020,2021\nA,1.5,2,3\nB,3.5,4,5\nC,5.5,6,9\n",
         "country|2019|2020|2021", ("A", 1.5, 2, 3), ("B", 3.5, 4, 5), ("C", 5.5, 6, 9)),
    file("headers", "name over two lines", '"a\n(m)",b\n1.5,x\n2,y\n3,x\n', "a (m)|b",
         (1.5, "x"), (2, "y"), (3, "x")),
    file("headers", "mark at the end", "a,b,\n1,x,\n2,y,\n3,x,\n", "a|b", *AB),
    file("headers", "units and types below",
         "t;u;i\n[s];[V];[A]\n0,0;1,5;2\n0,5;1,75;3\n1,0;2,25;4\n",
         "t [s]|u [V]|i [A]", (0, 1.5, 2), (0.5, 1.75, 3), (1, 2.25, 4)),
]  # fmt: skip

RAGGED = [
    file("ragged", "short at the end", "a,b,c\n1,2,3\n4,5\n6,7,8\n", "a|b|c", (1, 2, 3),
         (4, 5, None), (6, 7, 8)),
    file("ragged", "long once", "a,b,c\n1,2,3\n4,5,6,7\n6,7,8\n8,9,1\n", "a|b|c", (1, 2, 3),
         (4, 5, 6), (6, 7, 8), (8, 9, 1)),
    file("ragged", "empty cells at the end left out",
         "a,b,c,d\n1,2,3,x\n4,5\n6,7\n8,9,1,y\n2,3\n4,4\n", "a|b|c|d", (1, 2, 3, "x"),
         (4, 5, None, None), (6, 7, None, None), (8, 9, 1, "y"), (2, 3, None, None),
         (4, 4, None, None)),
    file("ragged", "blank lines between", "a,b\n\n1,x\n\n\n2,y\n3,x\n", "a|b", *AB),
    file("ragged", "marks at the end of some lines", "a,b\n1,x,\n2,y\n3,x,,\n", "a|b", *AB),
]  # fmt: skip

NUMBERS = [
    file("numbers", "decimal comma", "n;x\na;1,5\nb;2,25\nc;0,75\n", "n|x", ("a", 1.5), ("b", 2.25),
         ("c", 0.75)),
    file("numbers", "point and comma", "n;x\na;1.234,5\nb;12.000,25\nc;0,75\n", "n|x",
         ("a", 1234.5), ("b", 12000.25), ("c", 0.75)),
    file("numbers", "comma and point", 'n,x\na,"1,234.5"\nb,"12,000.25"\nc,0.75\n', "n|x",
         ("a", 1234.5), ("b", 12000.25), ("c", 0.75)),
    file("numbers", "blank and comma", "n;x\na;1 234,5\nb;12 000,25\nc;0,75\n", "n|x",
         ("a", 1234.5), ("b", 12000.25), ("c", 0.75)),
    file("numbers", "narrow blank", "n;x\na;1\u202f234,5\nb;12\u00a0000,25\nc;0,75\n", "n|x",
         ("a", 1234.5), ("b", 12000.25), ("c", 0.75)),
    file("numbers", "apostrophe", "n;x\na;1'234.5\nb;12'000.25\nc;0.75\n", "n|x",
         ("a", 1234.5), ("b", 12000.25), ("c", 0.75)),
    file("numbers", "percent", "n,x\na,12%\nb,7.5%\nc,100 %\n", "n|x", ("a", 12), ("b", 7.5),
         ("c", 100)),
    file("numbers", "money", 'n,x,y\na,$1.50,€ 3\nb,"$1,250.00",€ 4\nc,-$20,€ 2.5\n', "n|x|y",
         ("a", 1.5, 3), ("b", 1250, 4), ("c", -20, 2.5)),
    file("numbers", "money in letters", "n;x\na;1,50 EUR\nb;1.250,00 EUR\nc;20,00 EUR\n", "n|x",
         ("a", 1.5), ("b", 1250), ("c", 20)),
    file("numbers", "losses in brackets", 'n,x\na,"1,250"\nb,"(1,500)"\nc,(20)\n', "n|x",
         ("a", 1250), ("b", -1500), ("c", -20)),
    file("numbers", "powers of ten", "n,x\na,1.5E+03\nb,2e-2\nc,-4E1\n", "n|x", ("a", 1500),
         ("b", 0.02), ("c", -40)),
    file("numbers", "codes keep zeros", "zip,x\n01234,1.5\n00501,2\n90210,3.5\n", "zip|x",
         ("01234", 1.5), ("00501", 2), ("90210", 3.5)),
    file("numbers", "minus behind", "n,x\na,5.5-\nb,3.25\nc,12-\n", "n|x", ("a", -5.5), ("b", 3.25),
         ("c", -12)),
]  # fmt: skip

DAYS = (("2020-12-31", 1.5), ("2021-02-01", 2), ("2021-03-15", 4.5))


def _days(*written: str, mark: str = ",") -> str:
    values = ("1.5", "2", "4.5")
    rows = (f"{day}{mark}{value}" for day, value in zip(written, values, strict=True))
    return f"when{mark}x\n" + "\n".join(rows) + "\n"


DATES = [
    file("dates", "ISO", _days("2020-12-31", "2021-02-01", "2021-03-15"), "when|x", *DAYS),
    file("dates", "day first", _days("31/12/2020", "01/02/2021", "15/03/2021"), "when|x", *DAYS),
    file("dates", "month first", _days("12/31/2020", "02/01/2021", "03/15/2021"), "when|x", *DAYS),
    file("dates", "points", _days("31.12.2020", "1.2.2021", "15.3.2021"), "when|x", *DAYS),
    file("dates", "two digits of a year", _days("31.12.20", "01.02.21", "15.03.21"), "when|x",
         *DAYS),
    file("dates", "short names of months", _days("31-Dec-2020", "01-Feb-2021", "15-Mar-2021"),
         "when|x", *DAYS),
    file("dates", "names of months first",
         _days('"December 31, 2020"', '"February 1, 2021"', '"March 15, 2021"'), "when|x", *DAYS),
    file("dates", "eight digits", _days("20201231", "20210201", "20210315"), "when|x", *DAYS),
    file("dates", "slashes, year first", _days("2020/12/31", "2021/02/01", "2021/03/15"), "when|x",
         *DAYS),
    file("dates", "moments with a zone",
         _days("2020-12-31T23:30:00Z", "2021-02-01T12:00:00+02:00", "2021-03-15T08:15:30.5Z"),
         "when|x", ("2020-12-31T23:30:00", 1.5), ("2021-02-01T10:00:00", 2),
         ("2021-03-15T08:15:30.500000", 4.5)),
    file("dates", "halves of the day",
         _days("12/31/2020 11:30 PM", "02/01/2021 12:05 AM", "03/15/2021 8:15 AM"), "when|x",
         ("2020-12-31T23:30:00", 1.5), ("2021-02-01T00:05:00", 2), ("2021-03-15T08:15:00", 4.5)),
    file("dates", "months", _days("2020-12", "2021-02", "2021-03"), "when|x",
         ("2020-12-01", 1.5), ("2021-02-01", 2), ("2021-03-01", 4.5)),
]  # fmt: skip

MARKERS = (
    "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A", "?", "-", "--", ".", "\\N",
    "#DIV/0!", "n.a.", "<NA>", "(null)", "missing", "*",
)  # fmt: skip

MISSING = [
    file("missing", f"marker {marker}",
         f"a,b\n1.5,x\n{marker},y\n3,x\n4.5,y\n{marker},x\n", "a|b",
         (1.5, "x"), (None, "y"), (3, "x"), (4.5, "y"), (None, "x"))
    for marker in MARKERS
] + [
    file("missing", "empty and blank", 'a,b,c\n1.5,x,1\n,y,2\n   ,"",3\n', "a|b|c",
         (1.5, "x", 1), (None, "y", 2), (None, None, 3)),
]  # fmt: skip

SHAPES = [
    file("shapes", "one column", "height\n1.5\n2.25\n4\n", "height", (1.5,), (2.25,), (4,)),
    file("shapes", "one column of words", "city\nRome\nNew York\nOslo\n", "city", ("Rome",),
         ("New York",), ("Oslo",)),
    file("shapes", "one column of decimal commas", "x\n1,5\n2,25\n4,75\n", "x", (1.5,), (2.25,),
         (4.75,)),
    file("shapes", "one row", "a,b\n1,x\n", "a|b", (1, "x")),
    file("shapes", "very wide", ",".join(f"v{i}" for i in range(3000)) + "\n"
         + ",".join(map(str, range(3000))) + "\n" + ",".join(f"{i}.5" for i in range(3000)) + "\n",
         "|".join(f"v{i}" for i in range(3000)), tuple(map(float, range(3000))),
         tuple(i + 0.5 for i in range(3000))),
    file("shapes", "long, odd at the end",
         "a,b\n" + "".join(f"{i},{i % 7}.5\n" for i in range(3000)) + '3000,"7,000.5"\n', "a|b",
         *((i, i % 7 + 0.5) for i in range(3000)), (3000, 7000.5)),
    file("shapes", "long cells", "a,b\n1," + "word " * 2000 + "\n2,short\n3,x\n", "a|b",
         (1, ("word " * 2000).strip()), (2, "short"), (3, "x")),
]  # fmt: skip

FILES = [*DELIMITERS, *QUOTES, *LINE_ENDS, *ENCODINGS, *AROUND, *HEADERS, *RAGGED, *NUMBERS, *DATES,
         *MISSING, *SHAPES]  # fmt: skip
