"""Compares DICOM series and segmentations that Tesela writes with what pydicom and highdicom read, segmentations of
highdicom with what Tesela reads, and has dciodvfy look at all of them.

usage: compare_dicom.py TESELA FOLDER

FOLDER is for what is written. Sources are two series made here, of CT and MR, and test files of pydicom, from scanners.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import highdicom
import numpy
import pydicom
from highdicom.sr.coding import CodedConcept
from pydicom.data import get_testdata_file
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, MRImageStorage, generate_uid

COLUMNS, ROWS, SLICES = 37, 30, 9
STEP = 2.5
ROW, COLUMN = numpy.array([0.8, 0, 0.6]), numpy.array([0.36, 0.8, -0.48])
NORMAL = numpy.cross(ROW, COLUMN)
KEPT = ("PatientName", "PatientID", "PatientBirthDate", "PatientSex", "PatientAge", "StudyInstanceUID", "StudyDate", "StudyTime",
        "StudyID", "AccessionNumber", "ReferringPhysicianName", "FrameOfReferenceUID")


def make_slice(modality, number, study, series, frame):
    image = FileDataset("", {}, file_meta=FileMetaDataset(), preamble=bytes(128))
    image.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    image.SOPClassUID = CTImageStorage if modality == "CT" else MRImageStorage
    image.SOPInstanceUID = generate_uid()
    image.file_meta.MediaStorageSOPClassUID = image.SOPClassUID
    image.file_meta.MediaStorageSOPInstanceUID = image.SOPInstanceUID
    image.SpecificCharacterSet = "ISO_IR 100"
    image.PatientName, image.PatientID, image.PatientBirthDate, image.PatientSex = "Müller^Eva", "P-17", "19610203", "F"
    image.PatientAge, image.StudyInstanceUID, image.StudyDate, image.StudyTime = "061Y", study, "20240102", "101112"
    image.StudyID, image.AccessionNumber, image.ReferringPhysicianName = "S1", "A1", "Ärztin^Eine"
    image.Modality, image.SeriesInstanceUID, image.SeriesNumber, image.SeriesDescription = modality, series, 4, "Bauch"
    image.Manufacturer, image.FrameOfReferenceUID, image.PositionReferenceIndicator = "Made", frame, ""
    image.Laterality = ""
    image.InstanceNumber, image.PatientPosition, image.AcquisitionNumber = number + 1, "HFS", 1
    image.ImageType = ["ORIGINAL", "PRIMARY", "AXIAL" if modality == "CT" else "OTHER"]
    image.ImageOrientationPatient = [*ROW, *COLUMN]
    image.ImagePositionPatient = [round(float(c), 6) for c in numpy.array([-90.5, 20, 30]) + number * STEP * NORMAL]
    image.PixelSpacing, image.SliceThickness = [0.5, 0.75], 3
    image.SamplesPerPixel, image.PhotometricInterpretation = 1, "MONOCHROME2"
    image.Rows, image.Columns, image.BitsAllocated, image.BitsStored, image.HighBit = ROWS, COLUMNS, 16, 12, 11
    image.PixelRepresentation = 0
    if modality == "CT":
        image.KVP, image.RescaleSlope, image.RescaleIntercept, image.ExposureTime = 120, 1, -1024, 500
    else:
        image.ScanningSequence, image.SequenceVariant, image.ScanOptions = "SE", "NONE", ""
        image.MRAcquisitionType, image.RepetitionTime, image.EchoTime, image.EchoTrainLength = "2D", 500, 12, 1
    rows, columns = numpy.mgrid[:ROWS, :COLUMNS]
    ball = (rows - 15) ** 2 + (columns - 18) ** 2 + 6 * (number - 3) ** 2
    image.PixelData = (300 + 3 * (rows + columns) + 900 * (ball < 90) + 500 * (ball < 30)).astype("<u2").tobytes()
    return image


def make_series(folder, modality):
    folder.mkdir()
    study, series, frame = generate_uid(), generate_uid(), generate_uid()
    for number in range(SLICES):
        image = make_slice(modality, number, study, series, frame)
        image.save_as(folder / f"{(7 * number) % SLICES}.dcm", enforce_file_format=True)
    return folder


def run(*arguments):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stderr


def errors_of(path):
    """What dciodvfy says of a file, but for what it says of where in it."""
    done = subprocess.run(["dciodvfy", str(path)], capture_output=True, text=True)
    return {line for line in (done.stdout + done.stderr).splitlines() if line.startswith("Error")}


def sorted_slices(folder):
    slices = [pydicom.dcmread(path) for path in sorted(folder.iterdir())]
    if "ImageOrientationPatient" in slices[0]:
        orientation = [float(c) for c in slices[0].ImageOrientationPatient]
        normal = numpy.cross(orientation[:3], orientation[3:])
        slices.sort(key=lambda s: normal @ [float(c) for c in s.ImagePositionPatient])
    return slices


def values_of(image):
    return image.pixel_array * float(image.get("RescaleSlope", 1)) + float(image.get("RescaleIntercept", 0))


def compare_series(tesela, source, folder, verb, *options):
    """Writes what a verb makes as a series and as an array, and compares the two. Gives the slices."""
    out, array = folder / "out", folder / "out.npy"
    shutil.rmtree(out, ignore_errors=True)
    for output in (f"{out}/", array):
        run(tesela, *verb, source, "-o", output, *options, "--force", "--quiet")
    expected = numpy.load(array)
    made, originals = sorted_slices(out), sorted_slices(source) if source.is_dir() else [pydicom.dcmread(source)]
    found = numpy.stack([values_of(s) for s in made]).reshape(expected.shape)
    step = float(made[0].get("RescaleSlope", 1))
    allowed = 0.501 * step if expected.dtype.kind == "f" and step != 1 else 0
    assert numpy.abs(found - expected).max() <= allowed, (verb, numpy.abs(found - expected).max(), step)
    known = errors_of(source if source.is_file() else next(source.iterdir()))
    for image in made:
        for name in KEPT:
            if name == "FrameOfReferenceUID" and name not in originals[0]:
                continue  # it gets one of its own
            assert image.get(name, "") == originals[0].get(name, ""), (name, image.get(name), originals[0].get(name))
        assert image.SeriesInstanceUID not in {o.SeriesInstanceUID for o in originals}
        assert image.SOPInstanceUID.startswith("2.25.") and image.ImageType[0] == "DERIVED"
        errors = errors_of(image.filename) - known
        assert not errors, errors
    assert len({image.SOPInstanceUID for image in made}) == len(made)
    return made, originals


def same_places(made, originals):
    for image, original in zip(made, originals, strict=True):
        for name in ("ImagePositionPatient", "ImageOrientationPatient", "PixelSpacing"):
            assert numpy.allclose(image[name].value, original[name].value, atol=1e-5), name
        assert [s.ReferencedSOPInstanceUID for s in image.SourceImageSequence] == [original.SOPInstanceUID]


def compare_all_series(tesela, folder):
    for modality in ("CT", "MR"):
        source = make_series(folder / modality, modality)
        for verb in (["image", "smooth", "gaussian"], ["image", "smooth", "median"], ["threshold", "otsu"]):
            same_places(*compare_series(tesela, source, folder, verb))
        made, _ = compare_series(tesela, source, folder, ["image", "math", "a * 0.37"])
        assert made[0].SOPClassUID == (CTImageStorage if modality == "CT" else MRImageStorage)
        compare_series(tesela, source, folder, ["image", "resample"], "--pixel-size", "1mm")
    names = ("CT_small.dcm", "MR_small.dcm", "MR_small_implicit.dcm", "MR_small_bigendian.dcm", "693_J2KI.dcm")
    for name in names:
        compare_series(tesela, Path(get_testdata_file(name)), folder, ["image", "smooth", "median"])
    return 2 * 5 + len(names)


LIVER = ("SCT^123037004^Anatomical Structure", "SCT^10200004^Liver")


def compare_written_segmentation(tesela, source, folder):
    labels, array = folder / "labels.dcm", folder / "labels.npy"
    for output in (labels, array):
        run(tesela, "threshold", "multi-otsu", source, "--labels", output, "--names", "1=Gewebe,2=Größtes", "--force", "--quiet")
    assert not errors_of(labels), errors_of(labels)
    expected = numpy.load(array)
    segments = [label for label in numpy.unique(expected) if label]
    read = highdicom.seg.segread(labels)
    found = read.get_volume(combine_segments=True)
    original = sorted_slices(source)
    # highdicom puts slices against their normal.
    assert numpy.array_equal(found.array[::-1], expected), "voxels differ"
    assert numpy.allclose(found.get_geometry().position, original[-1].ImagePositionPatient, atol=1e-5)
    instances = [o.SOPInstanceUID for o in original]
    by_instance = read.get_pixels_by_source_instance(instances, combine_segments=True, assert_missing_frames_are_empty=True)
    assert numpy.array_equal(by_instance, expected), "segments lie on other instances"
    described = [read.get_segment_description(int(n)) for n in segments]
    assert [d.segment_label for d in described][:2] == ["Gewebe", "Größtes"]
    assert read.PatientName == original[0].PatientName and read.StudyInstanceUID == original[0].StudyInstanceUID
    assert read.FrameOfReferenceUID == original[0].FrameOfReferenceUID
    run(tesela, "image", "convert", labels, "-o", folder / "again.npy", "--force", "--quiet")
    assert numpy.array_equal(numpy.load(folder / "again.npy"), expected), "Tesela reads other labels"
    return len(segments)


def highdicom_segmentation(source, masks):
    """Of segments that overlap and leave slices out, one of whose names is not ASCII."""
    code = highdicom.sr.coding.CodedConcept
    algorithm = highdicom.AlgorithmIdentificationSequence("by hand", code("123109", "DCM", "Manual Processing"), "1")
    descriptions = [
        highdicom.seg.SegmentDescription(
            number + 1, name, CodedConcept(*LIVER[0].split("^")[1::-1], LIVER[0].split("^")[2]),
            CodedConcept(*LIVER[1].split("^")[1::-1], LIVER[1].split("^")[2]), kind,
            algorithm_identification=None if kind.value == "MANUAL" else algorithm,
            display_color=highdicom.color.CIELabColor.from_rgb(*color))
        for number, (name, kind, color) in enumerate([
            ("Leber", highdicom.seg.SegmentAlgorithmTypeValues.MANUAL, (200, 100, 50)),
            ("Gefäß", highdicom.seg.SegmentAlgorithmTypeValues.SEMIAUTOMATIC, (0, 0, 255)),
            ("Rest", highdicom.seg.SegmentAlgorithmTypeValues.AUTOMATIC, (255, 255, 255))])]
    return highdicom.seg.Segmentation(
        source, masks, highdicom.seg.SegmentationTypeValues.BINARY, descriptions, generate_uid(), 77, generate_uid(), 1, "Made",
        "Model", "1", "1")


def compare_read_segmentation(tesela, source, folder):
    images = sorted_slices(source)
    masks = numpy.zeros((SLICES, ROWS, COLUMNS, 3), numpy.uint8)
    masks[2:7, 5:20, 5:20, 0] = 1
    masks[6, 10:25, 10:30, 1] = 1
    masks[3, 1:3, 30:36, 2] = 1
    path = folder / "highdicom.dcm"
    highdicom_segmentation(images, masks).save_as(path)
    heard = run(tesela, "image", "convert", path, "-o", folder / "read.npy", "--force", "--quiet")
    overlap = int((masks.sum(axis=3) > 1).sum())
    assert f"{overlap} voxels are in several" in heard, heard
    joined = (masks * numpy.array([1, 2, 3], numpy.uint8)).max(axis=3)
    assert numpy.array_equal(numpy.load(folder / "read.npy"), joined[2:7]), "voxels differ"
    for segment in range(3):
        run(tesela, "image", "convert", path, "--channel", segment, "-o", folder / "one.npy", "--force", "--quiet")
        assert numpy.array_equal(numpy.load(folder / "one.npy"), (segment + 1) * masks[2:7, ..., segment]), "a segment differs"
    # Through 3D Slicer's format and back, with terms and colors.
    run(tesela, "image", "convert", path, "-o", folder / "kept.seg.nrrd", "--force", "--quiet")
    header = (folder / "kept.seg.nrrd").read_bytes().split(b"\n\n")[0].decode()
    for words in ("Segment0_Name:=Leber", "Segment1_Name:=Gefäß", *(term for term in LIVER), "Color:=0.784314 0.392157 0.196078",
                  "Color:=0 0 1", "DicomSegmentAlgorithmType:MANUAL"):
        assert words in header, (words, header)
    return 3


def main():
    tesela, folder = sys.argv[1], Path(sys.argv[2])
    print(f"{compare_all_series(tesela, folder)} series are the same in pydicom, and dciodvfy finds no error in them that the source has not")
    count = compare_written_segmentation(tesela, folder / "CT", folder)
    count += compare_read_segmentation(tesela, folder / "MR", folder)
    print(f"{count} segments are the same in highdicom, and dciodvfy finds no error in those of Tesela")


main()
