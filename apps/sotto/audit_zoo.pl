#!/usr/bin/perl
# Programs for `sotto audit program` to judge: audit_zoo.pl NAME DATA OUT
#
# DATA is a CSV file with the columns x and y. Only the protected user has x = 1,
# so that the sum of x differs by 1 between the worlds. Everything that is
# printed, or written into the folder OUT, is public. The claim is epsilon 1.
# Perl starts in 2 ms, so that an audit of 1,200 runs takes seconds.
use strict;
use warnings;

my ($name, $data, $out) = @ARGV;
open(my $rows, '<', $data) or die "$data: $!";
my $sum = grep { /^1,/ } <$rows>;    # 1 or 0
close($rows);

# Noise.
sub laplace { my $u = rand() - 0.5; return -$_[0] * ($u < 0 ? -1 : 1) * log(1 - 2 * abs($u)); }
sub gauss { return $_[0] * sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()); }

sub geometric {    # Pr[k] proportional to e^(-epsilon |k|)
    my $one = sub { return int(log(1 - rand()) / -$_[0]); };
    return $one->($_[0]) - $one->($_[0]);
}
sub response { return rand() < exp($_[0]) / (1 + exp($_[0])) ? $sum : 1 - $sum; }

sub among {    # one of k words: the true one e^epsilon times as likely as any other
    my ($epsilon, @words) = @_;
    my $e = exp($epsilon);
    return rand() < ($e - 1) / ($e - 1 + @words) ? $words[$sum] : $words[ rand @words ];
}
sub lines { print "line\n" x ($_[0] < 0 ? 0 : $_[0]); }
sub file { open(my $file, '>', "$out/$_[0]") or die; print $file $_[1]; close($file); }

my %programs = (

    # Sound at epsilon 1.
    'words'       => sub { print response(1) ? "yes\n" : "no\n"; },
    'many-words'  => sub { print among(1, qw(red green blue white)), "\n"; },
    'integer'     => sub { print $sum + geometric(1), "\n"; },
    'double'      => sub { printf "%.17g\n", $sum + laplace(1); },
    'order'       => sub { print response(1) ? "left\nright\n" : "right\nleft\n"; },
    'length'      => sub { lines(20 + $sum + geometric(1)); },
    'file-name'   => sub { file(response(1) ? 'a' : 'b', "1\n"); },
    'ten-numbers' => sub { printf "%.6f\n", $sum + laplace(10) for 1 .. 10; },
    'clock' => sub { printf "%s, process %d: %.3f\n", scalar(localtime), $$, $sum + laplace(1); },
    'winner' => sub { print laplace(2) + $sum > laplace(2) + 1 - $sum ? "x wins\n" : "y wins\n"; },

    # Leaking.
    'thousand'        => sub { printf "%.12f\n", 1000 * $sum + rand(); },
    'words-3'         => sub { print response(3) ? "yes\n" : "no\n"; },
    'a-third'         => sub { print $sum + geometric(3), "\n"; },
    'low-digit'       => sub { printf "%d\n", 2 * int(laplace(1e6)) + $sum; },
    'sixth-decimal'   => sub { printf "%.6f\n", int(laplace(1) * 5e5) / 5e5 + $sum * 1e-6; },
    'sorted'          => sub { print join("\n", $sum ? qw(left right) : qw(right left)), "\n"; },
    'exact-length'    => sub { lines(20 + $sum); printf "%.3f\n", $sum + laplace(1); },
    'one-noise'       => sub { my $z = laplace(1); printf "%.9f and %.9f\n", $z, $sum + $z; },
    'split-bit'       => sub { my $pad = int(rand 2); print $pad, " ", $pad ^ $sum, "\n"; },
    'twenty-numbers'  => sub { printf "%.6f\n", $sum + laplace(1) for 1 .. 20; },
    'often-exact'     => sub { print rand() < 0.5 ? "sum $sum\n" : "sum hidden\n"; },
    'narrow-gauss'    => sub { printf "%.9f\n", $sum + gauss(0.3); },
);
my $program = $programs{$name} or die "no program $name";
$program->();
