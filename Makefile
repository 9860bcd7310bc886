# Two commands: `make demo` and `make test`. Each sets up what it needs, once.

BIN := .venv/bin
# Where there is no NVIDIA driver, one more index offers a build of torch without CUDA, a tenth of
# the size. Another index: make TORCH_INDEX=<address> demo. PyPI's own build: make TORCH_INDEX= demo
TORCH_INDEX ?= $(if $(shell command -v nvidia-smi),,https://download.pytorch.org/whl/cpu)
# What the benchmarks and the GPU's tests run by. Where nothing can be installed: make PYTHON=python3 bench-gpu OUT=folder
PYTHON ?= $(BIN)/python
# Two workers of one thread each are quicker than one of many, and leave the machine usable. Where
# bytecode is not kept, each of them and every command that they start would compile all sources.
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q

.PHONY: demo test check lint lint-and-compile check-js test-slow test-browser test-gpu docs bench bench-gpu lock dist clean

demo: .venv/compiled.ok
	$(BIN)/tokoban demo
	@echo "To play and analyse levels in a browser: $(BIN)/tokoban web"

# Mypy runs beside the compiler and the tests, which leave a part of two cores idle. What it found
# comes after pytest's closing line; otherwise that is the last of all.
test: .venv/dev.ok
	$(BIN)/ruff check -q .
	@found=$$(mktemp); $(BIN)/mypy --no-error-summary >$$found 2>&1 & types=$$!; \
	    trap 'kill $$types' INT TERM; $(MAKE) -s .venv/compiled.ok; $(PYTEST) -n 2; status=$$?; \
	    wait $$types || status=1; cat $$found; rm $$found; exit $$status

# Linters first, and stopping at the first failure: for use while working.
check: lint-and-compile
	$(PYTEST) -n 2 -x

lint: .venv/dev.ok
	$(BIN)/ruff check -q .
	$(BIN)/mypy --no-error-summary

# While mypy keeps one core busy, another compiles the searches, or both workers of pytest would.
lint-and-compile: .venv/dev.ok
	$(MAKE) -s .venv/compiled.ok & \
	    $(MAKE) -s lint; status=$$?; wait; exit $$status

# And the quick tests as under `python -O`: the package loses its asserts, while those of the test
# modules stay, since pytest has rewritten them. The warning is about the other modules of the tests.
test-slow: .venv/dev.ok
	PYTHONOPTIMIZE=1 $(PYTEST) -n 2 -W "ignore:assertions not in test modules:pytest.PytestConfigWarning"
	$(PYTEST) -n 2 -m "slow and not gpu"

# The page in Chromium; skipped with a reason where there is none.
test-browser: .venv/dev.ok
	$(PYTEST) -m browser -rs tests/web/browser

# The types of the page's modules, which are in their comments; needs npm, as nothing else does.
check-js:
	npx --yes -p typescript@5 tsc --noEmit --checkJs --strict --noUnusedLocals --target es2022 \
	    --module esnext --moduleResolution bundler --lib es2023,dom,dom.iterable \
	    tokoban/web/static/js/main.js tokoban/web/static/js/attention/offline.js

# Reads only the files that have such tests. Where nothing can be installed: make PYTHON=python3 test-gpu
test-gpu: $(if $(filter $(BIN)/%,$(PYTHON)),.venv/dev.ok)
	$(PYTHON) -m pytest -q -m gpu

# The documentation as a site in site/, which opens from the disk. A broken link is an error, and so
# is a script or style of another host.
docs: .venv/docs.ok
	$(BIN)/zensical build --strict --clean
	! grep -rnE '<(script|link)[^>]*(src|href)="https?:[^"]*' site --include='*.html'

# The main benchmarks on the CPU; real levels are compared and solved too: make bench LEVELS="one.xsb"
bench: OUT ?= benchmarks/results/cpu
bench: $(if $(filter $(BIN)/%,$(PYTHON)),.venv/run.ok)
	$(PYTHON) -m benchmarks.together --device cpu --out $(OUT) $(if $(LEVELS),--levels $(LEVELS))

# What needs a GPU, within ten minutes: make BENCHMARKS=trainings bench-gpu; CONTRIBUTING.md
# lists these groups, and says what the folders DATA, WHEELS and PACK are.
bench-gpu: OUT ?= benchmarks/results/gpu
bench-gpu: $(if $(filter $(BIN)/%,$(PYTHON)),.venv/dev.ok)
	$(PYTHON) -m benchmarks.together --device cuda --out $(OUT) $(if $(BENCHMARKS),--group $(BENCHMARKS)) \
	    $(if $(DATA),--data $(DATA)) $(if $(WHEELS),--wheels $(WHEELS)) $(if $(PACK),--pack $(PACK))

# Every pin for every platform. uv is needed here alone, from .venv/bin or the PATH.
lock:
	echo 'torch==2.13.0' | PATH="$(BIN):$$PATH" uv pip compile -q --universal --python-version 3.11 \
	    --no-header --no-annotate --upgrade --extra networks --extra dev --extra docs pyproject.toml - -o constraints.txt

# An sdist and a wheel in dist/, of what is committed. REPOSITORY is the address that the sources are
# published at: the README's pictures and links then lead there, and the metadata names it.
dist: .venv/run.ok
	rm -rf dist && mkdir -p dist/tree && git archive HEAD | tar -x -C dist/tree
ifdef REPOSITORY
	sed -E -i.bak -e 's|!\[([^]]*)\]\(([^:)]+)\)|![\1]($(REPOSITORY)/raw/HEAD/\2)|g' \
	    -e 's|\]\(([^:)]+)\)|]($(REPOSITORY)/blob/HEAD/\1)|g' dist/tree/README.md
	printf '\n[project.urls]\nRepository = "%s"\nChangelog = "%s/blob/HEAD/CHANGELOG.md"\n' \
	    $(REPOSITORY) $(REPOSITORY) >> dist/tree/pyproject.toml
endif
	$(BIN)/pip install -q 'flit_core>=3.11'
	cd dist/tree && $(abspath $(BIN))/python -c \
	    "from flit_core import buildapi as b; print(b.build_sdist('..'), b.build_wheel('..'), sep='\n')"
	rm -rf dist/tree

clean:
	rm -rf .venv dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .cache site *.egg-info
	find tokoban tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

# Torch goes first and alone: a build with a local version (2.13.0+cpu) sorts above the plain one
# that the pin names, and only this step looks at the index that has it. An index out of reach is
# skipped, which --retries 1 keeps short.
.venv/run.ok: pyproject.toml constraints.txt
	python3 -m venv .venv
	$(BIN)/pip install -q --retries 1 --no-deps -c constraints.txt \
	    $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) torch
	$(BIN)/pip install -q -c constraints.txt -e '.[networks]'
	touch $@

.venv/dev.ok: .venv/run.ok
	$(BIN)/pip install -q -c constraints.txt -e '.[dev]'
	touch $@

# For this state of the sources, so that no test and no first use waits for the compiler.
.venv/compiled.ok: .venv/run.ok $(shell find tokoban -name '*.py')
	$(BIN)/tokoban prepare
	touch $@

# Apart from the package: the site is built from its sources, without importing them.
.venv/docs.ok: .venv/run.ok
	$(BIN)/pip install -q -c constraints.txt mkdocstrings-python zensical
	touch $@
