# To be sourced. interpreters: every CPython from 3.10 on that this machine has, one a line, none twice: of the PATH, of
# pyenv, and $python.
interpreters() {
    {
        for minor in 10 11 12 13 14; do command -v "python3.$minor"; done
        command -v pyenv >/dev/null && ls -d "$(pyenv root)"/versions/3.1[0-4]*/bin/python
        command -v "$python"
    } 2>/dev/null | while read -r one; do
        "$one" -c 'import sys; assert sys.version_info >= (3, 10); print("%d.%d" % sys.version_info[:2], sys.executable)' 2>/dev/null
    done | sort -u -t ' ' -k 1,1 | cut -d ' ' -f 2
}
