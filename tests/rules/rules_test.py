"""Tests of the rules themselves: each finds what it is there to find."""

import pathlib
import tempfile
import unittest

import check_contract
import check_headers
import check_includes
import check_readme
import check_text


class Rules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.names = []

    def write(self, name, *includes, text="#pragma once\n"):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "".join(f'#include "{include}"\n' for include in includes))
        self.names.append(name)

    def includes(self):
        return check_includes.find_problems(self.root, self.names)

    def test_arrows_that_exist_are_fine(self):
        self.write("watchdog/base/time.hpp")
        self.write("watchdog/http/body.hpp", "watchdog/base/time.hpp")
        self.write("watchdog/exchange.hpp", "watchdog/http/body.hpp")
        self.write("watchdog/server/session.hpp", "watchdog/exchange.hpp")
        self.write("watchdog/process/worker.hpp", "watchdog/base/time.hpp")
        self.write("modes/afterburn.hpp", "watchdog/exchange.hpp", "watchdog/process/worker.hpp")
        self.write("watchdog/config/config.hpp", "watchdog/base/time.hpp")
        self.write("watchdog/function_metrics.hpp", "watchdog/server/session.hpp", "watchdog/process/worker.hpp")
        self.write("watchdog/main.cpp", "watchdog/config/config.hpp", "modes/afterburn.hpp", "watchdog/function_metrics.hpp")
        self.write("bench/load.cpp", "watchdog/http/body.hpp")
        self.write("functions/cpp/function/handler.cpp", "function/handler.hpp")
        self.write("functions/cpp/function/handler.hpp", "api.hpp")
        self.write("functions/cpp/api.hpp")
        self.assertEqual(self.includes(), [])

    def test_forbidden_arrows_are_named(self):
        self.write("watchdog/process/worker.hpp")
        self.write("watchdog/http/body.hpp")
        self.write("watchdog/config/config.hpp")
        self.write("watchdog/server/gate.cpp", "watchdog/process/worker.hpp")
        self.write("watchdog/process/worker.cpp", "watchdog/http/body.hpp")
        self.write("modes/afterburn.cpp", "watchdog/config/config.hpp")
        self.write("functions/cpp/main.cpp", "watchdog/http/body.hpp")
        self.assertEqual(
            self.includes(),
            [
                "forbidden: watchdog/server/gate.cpp -> watchdog/process/worker.hpp",
                "forbidden: watchdog/process/worker.cpp -> watchdog/http/body.hpp",
                "forbidden: modes/afterburn.cpp -> watchdog/config/config.hpp",
                "forbidden: functions/cpp/main.cpp -> watchdog/http/body.hpp",
            ],
        )

    def test_arrows_are_transitive(self):
        self.write("watchdog/process/worker.hpp")
        self.write("modes/make_mode.hpp", "watchdog/process/worker.hpp")
        self.write("watchdog/server/gate.cpp", "modes/make_mode.hpp")
        self.write("watchdog/http/sniff.hpp")
        self.write("watchdog/http/body.hpp", "watchdog/http/sniff.hpp")
        self.write("bench/load.cpp", "watchdog/http/body.hpp")
        self.assertEqual(
            self.includes(),
            [
                "forbidden: watchdog/server/gate.cpp -> modes/make_mode.hpp",
                "forbidden: bench/load.cpp -> watchdog/http/body.hpp -> watchdog/http/sniff.hpp",
            ],
        )

    def test_cycles_strangers_and_missing_files_are_named(self):
        self.write("watchdog/base/a.hpp", "watchdog/base/b.hpp")
        self.write("watchdog/base/b.hpp", "watchdog/base/a.hpp", "nowhere.hpp")
        self.write("elsewhere/c.hpp")
        self.assertEqual(
            self.includes(),
            [
                'watchdog/base/b.hpp includes "nowhere.hpp", which is no file of ours',
                "a cycle: watchdog/base/a.hpp -> watchdog/base/b.hpp -> watchdog/base/a.hpp",
                "a cycle: watchdog/base/b.hpp -> watchdog/base/a.hpp -> watchdog/base/b.hpp",
                "elsewhere/c.hpp is in no folder that the design knows",
            ],
        )

    def test_headers(self):
        self.write("watchdog/base/a.hpp", text="#include <vector>\n#pragma once\n")
        self.write("watchdog/base/e.hpp", text="// a comment first\n\n#pragma once\n")
        self.write("watchdog/base/b.cpp", text="#include <boost/asio.hpp>\n")
        self.write("modes/c.cpp", text="#include <boost/process/v2.hpp>\n#include <boost/beast/http/verb.hpp>\n")
        self.write("watchdog/process/d.cpp", text="#include <boost/process/v2.hpp>\n")
        self.assertEqual(len(check_headers.find_problems(self.root, self.names)), 4)

    def test_text(self):
        for place in (b"w" + b"ork", b"r" + b"oot", b"f" + b"arm"):
            self.write("a.md", text="cd /" + place.decode() + "/x\n")
            self.assertEqual(len(check_text.find_problems(self.root, ["a.md"])), 1)
        self.write("b.md", text="net" + "work/wo" + "rk/ $HOME/wo" + "rk/x\n see py" + "pi.org\n")
        self.assertEqual(check_text.find_problems(self.root, ["b.md"]), ["b.md:2: py" + "pi.org"])

    def test_contract(self):
        tests = check_contract.tests_in(["TEST(start, one) {\nTEST_F(Fixture,\n       two) {\n// TEST_P(Every, three)"])
        self.assertEqual(tests, {"start.one", "Fixture.two", "Every.three"})
        head = "| what | there | here | test |\n| --- | --- | --- | --- |\n"
        page = "\n".join(
            [
                "# Another section\n" + head + "| a | b | same | `start.none` |",
                check_contract.SECTIONS[0] + "\n" + head + "| a | `b\\|c.d` | same | `start.one`, `Fixture.two` |",
                check_contract.SECTIONS[1] + "\n" + head + "| a | b | planned: later | |",
            ]
        )
        self.assertEqual(check_contract.find_problems(page, tests), [])
        for bad in ("| a | b | same | `start.gone` |", "| a | b | same | |", "| a | b | planned | `start.gone` |"):
            self.assertEqual(len(check_contract.find_problems(page + "\n" + bad, tests)), 1)
        self.assertEqual(len(check_contract.find_problems("# Something else", tests)), 2)

    def test_readme(self):
        text = "a\n" + check_readme.BEGIN + "old\n" + check_readme.END + "b\n"
        self.assertEqual(
            check_readme.replace_table(text, "new\n"), "a\n" + check_readme.BEGIN + "new\n" + check_readme.END + "b\n"
        )
        for bad in ("a\n", check_readme.END + check_readme.BEGIN, text + text):
            with self.assertRaises(ValueError):
                check_readme.replace_table(bad, "new\n")


if __name__ == "__main__":
    unittest.main()
